import { createHmac, timingSafeEqual } from "node:crypto";
import { deriveKey } from "../../platform/config/derive-key.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput } from "../../platform/errors.ts";

/** A position in the order of events: by the transaction that accepted the event, then by its id. */
export type EventPlace = { transactionId: bigint; eventId: string };

/** Sorts before every event of its transaction. */
export const firstEventId = "00000000-0000-0000-0000-000000000000";

const placeBytes = 24;
const macBytes = 8;

/** The signed cursor with which an organisation gets the next page. */
export function writeEventCursor(deps: Deps, organisationId: string, { transactionId, eventId }: EventPlace): string {
  const place = Buffer.alloc(placeBytes);
  place.writeBigUInt64BE(transactionId);
  place.write(eventId.replaceAll("-", ""), 8, "hex");
  return Buffer.concat([place, sign(deps, organisationId, place)]).toString("base64url");
}

/** Reads a cursor. Throws `invalid_input` unless this deployment wrote it for this organisation. */
export function readEventCursor(deps: Deps, organisationId: string, cursor: string): EventPlace {
  const bytes = Buffer.from(cursor, "base64url");
  const place = bytes.subarray(0, placeBytes);
  if (
    bytes.length !== placeBytes + macBytes ||
    bytes.toString("base64url") !== cursor ||
    !timingSafeEqual(bytes.subarray(placeBytes), sign(deps, organisationId, place))
  ) {
    throw foreignCursor();
  }
  const eventId = place.toString("hex", 8).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  return { transactionId: place.readBigUInt64BE(), eventId };
}

/** The refusal of a cursor of another organisation, deployment or database. */
export const foreignCursor = () =>
  invalidInput([
    {
      path: "/after",
      message: "must be from an earlier response of this Lodge: omit it to start from the oldest event",
    },
  ]);

const sign = ({ secret }: Deps, organisationId: string, place: Buffer): Buffer =>
  createHmac("sha256", deriveKey(secret, "event cursors"))
    .update(organisationId)
    .update(place)
    .digest()
    .subarray(0, macBytes);
