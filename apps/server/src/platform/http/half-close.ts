import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

const reading = new WeakMap<Socket, IncomingMessage>();

/** Marks a request whose reader sends the response even if the client closes its sending half early. */
export function answerHalfClose(request: IncomingMessage): void {
  reading.set(request.socket, request);
}

/** Whether the current request of a connection was marked by `answerHalfClose`. */
export function isHalfCloseAnswered(socket: Socket): boolean {
  return reading.get(socket)?.complete === false;
}
