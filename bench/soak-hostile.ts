import { randomBytes, randomUUID } from "node:crypto";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";

const bomb = gzipSync(`{"reportId":"bomb","context":{"a":[${"{},".repeat(1_500_000)}{}]}}`);
const head = (path: string, bearer: string, rest: string) =>
  `POST ${path} HTTP/1.1\r\nhost: lodge\r\nauthorization: Bearer ${bearer}\r\n${rest}\r\n\r\n`;
const formPart = (headers: string) => `--b\r\ncontent-disposition: form-data; name="envelope"\r\n${headers}\r\n`;
const form = (bytes: number) => `content-type: multipart/form-data; boundary=b\r\ncontent-length: ${bytes}`;

/** The requests of attackers. Each is written, and then nothing more. */
const attacks: Record<string, (key: string) => (string | Buffer)[]> = {
  "a bad key": () => [head("/api/ingest", "ldk_wrong", form(5_000_000)), randomBytes(200_000)],
  "a bad token": () => [head("/api/v1/tickets", "ldg_wrong", "content-length: 2"), "{}"],
  garbage: (key) => [head("/api/ingest", key, form(100_000)), randomBytes(100_000)],
  "no HTTP": () => [randomBytes(1_000)],
  "a bomb": (key) => {
    const start = formPart("content-encoding: gzip\r\n");
    return [head("/api/ingest", key, form(5_000_000)), start, bomb, "\r\n--b\r\n"];
  },
  "a stalled body": (key) => [head("/api/ingest", key, form(20_000_000)), formPart(""), '{"reportId":"'],
  "a stalled sign-in": () => [
    "POST /api/dashboard/session HTTP/1.1\r\nhost: lodge\r\ncontent-type: application/json\r\ncontent-length: 262000\r\n\r\n{",
  ],
  "a refused report": (key) => {
    const envelope = JSON.stringify({ reportId: randomUUID(), unknown: "x".repeat(500_000) });
    const start = `${formPart("")}${envelope}\r\n--b--\r\n`;
    return [head("/api/ingest", key, form(start.length)), start];
  },
  "pages that nobody reads": () => Array.from({ length: 200 }, () => "GET / HTTP/1.1\r\nhost: lodge\r\n\r\n"),
};
const lifeMs = 20_000;

/** Attacks the port of `port()` with every kind in rotation, `perSecond` connections a second, until stopped. */
export function attack(port: () => number, key: string, perSecond: number): { count: () => number; stop: () => void } {
  const kinds = Object.keys(attacks);
  const stops = new Set<() => void>();
  let count = 0;
  const begin = () => {
    const kind = kinds[count++ % kinds.length] ?? "";
    const socket = connect(port(), "127.0.0.1");
    const stop = () => socket.destroy();
    const life = setTimeout(stop, lifeMs);
    stops.add(stop);
    if (kind !== "pages that nobody reads") socket.resume();
    socket.on("error", () => {}); // refused or reset, as expected
    socket.on("close", () => {
      clearTimeout(life);
      stops.delete(stop);
    });
    for (const piece of attacks[kind]?.(key) ?? []) socket.write(piece);
  };
  const timer = setInterval(begin, 1_000 / perSecond);
  return {
    count: () => count,
    stop: () => {
      clearInterval(timer);
      for (const stop of stops) stop();
    },
  };
}
