import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Below those that a system chooses from: what asks for any port must not be given one that is kept for somebody. */
const ports = { first: 10_240, last: 32_767 };

/**
 * A port of this machine that nobody listens on, and that no other test is given for as long as this process runs: what is
 * started on it may be stopped and started again.
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

/** Keeps a port from other tests by a socket with its name, in no folder, which goes with this process. */
const keep = (port: number): Promise<boolean> =>
  isListening(createServer().listen(`\0lodge-tests-port-${port}`).unref());

const isListening = (server: Server): Promise<boolean> =>
  once(server, "listening").then(
    () => true,
    () => false,
  );
