/** Who looks at a board, and what happens on it meanwhile: events at a rate, half of them filed, half of them moved. */
export type Viewers = {
  port: number;
  cookies: string[];
  bearer: string;
  columnId: string;
  /** The cards that are moved to the column, one for each event, by their ids. */
  movedIds: string[];
  eventsPerSecond: number;
  events: number;
  /** What the cards of this run are called, beside the number of the event. */
  name: string;
};

export type ViewersResult = {
  /** From when an event was caused until a viewer has received it, for each of both. */
  latenciesMs: number[];
  /** What came over all connections, with the heads of chunks. */
  bytes: number;
  /** When each event was caused, in milliseconds since 1970, by the title of its card. */
  causedAt: Record<string, number>;
  seconds: number;
};

/** What the card of an event is called, so that whoever sees it knows which event that was. */
export const titleOf = (name: string, event: number) => `${name}-${event}-`;
