import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { titleOf, type Viewers, type ViewersResult } from "./viewers.ts";

// Runs in its own process. Reads streams from raw sockets, because each viewer here takes CPU time from the server.
const deadlineMs = 10_000;

process.on("message", (viewers: Viewers) => {
  void watch(viewers).then((result) => process.send?.(result));
});

async function watch({ port, cookies, eventsPerSecond, events, ...cause }: Viewers): Promise<ViewersResult> {
  const latenciesMs: number[] = [];
  const causedAt: Record<string, number> = {};
  const prefix = `${cause.name}-`;
  let bytes = 0;
  let counting = false;
  const sockets = await Promise.all(
    cookies.map((cookie) =>
      openStream(port, cookie, (text, length) => {
        if (!counting) return;
        bytes += length;
        const now = performance.timeOrigin + performance.now();
        for (let start = text.indexOf(prefix); start >= 0; start = text.indexOf(prefix, start + 1)) {
          const at = causedAt[text.slice(start, text.indexOf("-", start + prefix.length) + 1)];
          if (at !== undefined) latenciesMs.push(now - at);
        }
      }),
    ),
  );
  counting = true;
  const startedAt = performance.now();
  for (let event = 0; event < events; event++) {
    await sleep(Math.max(0, startedAt + (event * 1000) / eventsPerSecond - performance.now()));
    causedAt[titleOf(cause.name, event)] = performance.timeOrigin + performance.now();
    void happen(port, cookies[event % cookies.length] ?? "", cause, event);
  }
  const expected = events * cookies.length;
  const endsAt = performance.now() + deadlineMs;
  while (latenciesMs.length < expected && performance.now() < endsAt) await sleep(50);
  const seconds = (performance.now() - startedAt) / 1000;
  for (const socket of sockets) socket.destroy();
  return { latenciesMs, bytes, causedAt, seconds };
}

/** Files or moves a card. */
async function happen(
  port: number,
  cookie: string,
  { bearer, columnId, movedIds, name }: Pick<Viewers, "bearer" | "columnId" | "movedIds" | "name">,
  event: number,
) {
  const base = `http://127.0.0.1:${port}`;
  const movedId = event % 2 === 0 ? undefined : movedIds[event];
  const answer = await fetch(movedId ? `${base}/api/dashboard/tickets/${movedId}/move` : `${base}/api/v1/tickets`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(movedId ? { cookie } : { authorization: `Bearer ${bearer}` }) },
    body: JSON.stringify(movedId ? { columnId, belowTicketId: null } : { title: titleOf(name, event), columnId }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  await answer.arrayBuffer();
}

function openStream(port: number, cookie: string, onData: (text: string, bytes: number) => void) {
  return new Promise<ReturnType<typeof connect>>((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.setEncoding("latin1");
    socket.write(`GET /api/dashboard/events HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncookie: ${cookie}\r\n\r\n`);
    socket.once("data", (head: string) => {
      if (!head.startsWith("HTTP/1.1 200")) return reject(new Error(head));
      resolve(socket);
      socket.on("data", (text: string) => onData(text, text.length));
    });
    socket.once("error", reject);
  });
}
