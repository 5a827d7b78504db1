import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

const reading = new WeakMap<Socket, IncomingMessage>();

/** Says that whoever reads a request's body answers it as well when its client ends the sending half before its end. */
export function answerHalfClose(request: IncomingMessage): void {
  reading.set(request.socket, request);
}

/** Whether the request that a connection was cut in is answered by whoever reads it. */
export function isHalfCloseAnswered(socket: Socket): boolean {
  return reading.get(socket)?.complete === false;
}
