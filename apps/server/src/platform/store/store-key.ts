import { randomUUID } from "node:crypto";

/** A new key in the store. Keys start with the minute, so that a sweep only needs to list the latest. */
export function makeStoreKey(now: Date): string {
  const time = now.toISOString();
  return `${time.slice(0, 10)}/${time.slice(11, 13)}-${time.slice(14, 16)}/${randomUUID()}`;
}

/** The minute in which a key was created; undefined if it is not one of `makeStoreKey`. */
export function storeKeyTime(key: string): Date | undefined {
  const [, day, hour, minute] = /^(\d{4}-\d\d-\d\d)\/(\d\d)-(\d\d)\//.exec(key) ?? [];
  return day && hour && minute ? new Date(`${day}T${hour}:${minute}:00Z`) : undefined;
}
