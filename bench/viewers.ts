/** The viewers of a board, and the rate of events on it. Half of the events file a card, half move one. */
export type Viewers = {
  port: number;
  cookies: string[];
  bearer: string;
  columnId: string;
  /** The ids of the cards to move to the column, one for each event. */
  movedIds: string[];
  eventsPerSecond: number;
  events: number;
  /** The prefix of the titles in this run, before the number of the event. */
  name: string;
};

export type ViewersResult = {
  /** The time from an event to its receipt, for each event and viewer. */
  latenciesMs: number[];
  /** The bytes received on all connections, including chunk headers. */
  bytes: number;
  /** The time of each event, in milliseconds since 1970, by the title of its card. */
  causedAt: Record<string, number>;
  seconds: number;
};

/** The title of an event's card, by which viewers recognise the event. */
export const titleOf = (name: string, event: number) => `${name}-${event}-`;
