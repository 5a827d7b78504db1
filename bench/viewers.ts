/** The viewers of a board, and the events on it: events at a rate, half of them filed, half of them moved. */
export type Viewers = {
  port: number;
  cookies: string[];
  bearer: string;
  columnId: string;
  /** The cards that are moved to the column, one for each event, by their ids. */
  movedIds: string[];
  eventsPerSecond: number;
  events: number;
  /** The prefix of the titles in this run, before the number of the event. */
  name: string;
};

export type ViewersResult = {
  /** From when an event was caused until a viewer has received it, for each of both. */
  latenciesMs: number[];
  /** The bytes received over all connections, with the heads of chunks. */
  bytes: number;
  /** When each event was caused, in milliseconds since 1970, by the title of its card. */
  causedAt: Record<string, number>;
  seconds: number;
};

/** The title of an event's card, by which viewers recognise the event. */
export const titleOf = (name: string, event: number) => `${name}-${event}-`;
