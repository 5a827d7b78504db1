import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { freePort } from "./free-port.ts";

/** A TCP proxy in front of a test's PostgreSQL, which can go silent like a network, without closing anything. */
export type Proxy = AsyncDisposable & {
  /** The DATABASE_URL through it. */
  url: string;
  /** Stops forwarding in both directions; no connection ends. */
  pause: () => void;
  /** Still forwards statements to the database, but holds back its answers. */
  swallowAnswers: () => void;
  /** Forwards the held bytes, and everything after them. */
  resume: () => void;
  /** Existing connections stay silent forever; new ones work. */
  forgetConnections: () => void;
  /** Refuses connections and cuts the existing ones, until `accept`. */
  refuse: () => Promise<void>;
  accept: () => Promise<void>;
};

type Bridge = { near: Socket; far: Socket; forgotten: boolean };

/** Starts a proxy to the database of a URL whose `host` is a Unix socket folder. */
export async function startProxy(databaseUrl: string): Promise<Proxy> {
  const url = new URL(databaseUrl);
  const path = `${url.searchParams.get("host")}/.s.PGSQL.5432`;
  const bridges = new Set<Bridge>();
  const held = { questions: false, answers: false };

  const settle = ({ near, far, forgotten }: Bridge) => {
    if (held.questions || forgotten) near.pause();
    else near.resume();
    if (held.answers || forgotten) far.pause();
    else far.resume();
  };
  const settleAll = (questions: boolean, answers: boolean) => {
    Object.assign(held, { questions, answers });
    for (const bridge of bridges) settle(bridge);
  };
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (near) => {
    const far = connect({ path, allowHalfOpen: true });
    const bridge: Bridge = { near, far, forgotten: false };
    bridges.add(bridge);
    near.on("data", (chunk) => far.write(chunk)).on("end", () => far.end());
    far.on("data", (chunk) => near.write(chunk)).on("end", () => near.end());
    for (const socket of [near, far]) {
      socket.on("error", () => {}); // `close` reports it
      socket.on("close", () => {
        if (bridge.forgotten || held.questions || held.answers) return;
        bridges.delete(bridge);
        near.destroy();
        far.destroy();
      });
    }
    settle(bridge);
  });
  const cut = () => {
    for (const { near, far } of bridges) {
      near.destroy();
      far.destroy();
    }
    bridges.clear();
  };
  const port = await freePort();
  const accept = async () => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  const refuse = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    cut();
    await closed;
  };
  await accept();

  return {
    url: `postgres://${url.username}@127.0.0.1:${port}${url.pathname}`,
    pause: () => settleAll(true, true),
    swallowAnswers: () => settleAll(false, true),
    resume: () => settleAll(false, false),
    forgetConnections: () => {
      for (const bridge of bridges) {
        bridge.forgotten = true;
        settle(bridge);
      }
    },
    refuse,
    accept,
    [Symbol.asyncDispose]: async () => {
      settleAll(false, false);
      if (server.listening) await refuse();
    },
  };
}
