import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

const reading = new WeakMap<Socket, IncomingMessage>();

/** Marks a request whose reader also answers it if the client closes its sending half early. */
export function answerHalfClose(request: IncomingMessage): void {
  reading.set(request.socket, request);
}

/** Whether the reader answers the request in which a connection was cut. */
export function isHalfCloseAnswered(socket: Socket): boolean {
  return reading.get(socket)?.complete === false;
}
