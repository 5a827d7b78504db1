import { createHmac, timingSafeEqual } from "node:crypto";
import { deriveKey } from "../../platform/config/derive-key.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput } from "../../platform/errors.ts";

/** A place in the order of events: that of the transaction that accepted one, then of its id. */
export type EventPlace = { transactionId: bigint; eventId: string };

/** Before all others of its transaction. */
export const firstEventId = "00000000-0000-0000-0000-000000000000";

const placeBytes = 24;
const macBytes = 8;

/** The cursor that an organisation sends to get the next page. */
export function writeEventCursor(deps: Deps, organisationId: string, { transactionId, eventId }: EventPlace): string {
  const place = Buffer.alloc(placeBytes);
  place.writeBigUInt64BE(transactionId);
  place.write(eventId.replaceAll("-", ""), 8, "hex");
  return Buffer.concat([place, sign(deps, organisationId, place)]).toString("base64url");
}

/** Reads it again. Throws `invalid_input` for what this deployment did not write for this organisation. */
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

/** How a cursor is refused that cannot be gone on with. */
export const foreignCursor = () =>
  invalidInput([{ path: "/after", message: "is not a cursor of this deployment: omit it to start from the oldest event" }]);

const sign = ({ secret }: Deps, organisationId: string, place: Buffer): Buffer =>
  createHmac("sha256", deriveKey(secret, "event cursors"))
    .update(organisationId)
    .update(place)
    .digest()
    .subarray(0, macBytes);
