import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Below the system's ephemeral ports, so that a program that asks for any port does not get a reserved one. */
const ports = { first: 10_240, last: 32_767 };

/**
 * A free port of this machine that no other test gets while this process runs: a server on it can be stopped and
 * started again.
 */
export async function freePort(): Promise<number> {
  while (true) {
    const port = ports.first + Math.floor(Math.random() * (ports.last - ports.first + 1));
    if (!(await keep(port))) continue;
    const server = createServer().listen(port);
    if (!(await isListening(server))) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

/** Reserves a port from other tests with an abstract socket of its name, which ends with this process. */
const keep = (port: number): Promise<boolean> =>
  isListening(createServer().listen(`\0lodge-tests-port-${port}`).unref());

const isListening = (server: Server): Promise<boolean> =>
  once(server, "listening").then(
    () => true,
    () => false,
  );
