import { once } from "node:events";
import { createServer } from "node:net";
import type { Config } from "./platform/config/config.ts";
import { OperatorError } from "./platform/errors.ts";

/** Throws if the server could not listen on the port. */
export async function checkPort(config: Config) {
  const server = createServer();
  try {
    await once(server.listen({ port: config.port, host: config.host }), "listening");
  } catch (error) {
    throw cannotListen(error as NodeJS.ErrnoException, config) ?? error;
  }
  server.close();
  await once(server, "close");
}

/** The URL of a server that listens on a port. */
export const urlOf = ({ host }: Config, port: number) => `http://${host.includes(":") ? `[${host}]` : host}:${port}`;

/** The error for an operator whose server cannot listen; undefined for other errors, which are bugs. */
export function cannotListen({ code }: NodeJS.ErrnoException, { host, port }: Config): OperatorError | undefined {
  if (code === "EADDRINUSE") return new OperatorError(`Port ${port} of ${host} is taken. Set PORT to another one.`);
  if (code === "EACCES")
    return new OperatorError(`Port ${port} of ${host} is not allowed. Set PORT to one above 1023.`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return new OperatorError(`${host} is not an address of this machine. Set HOST to one.`);
  }
  return undefined;
}
