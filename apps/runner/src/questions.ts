import { createServer, type Socket } from "node:net";
import { runSummaryLengthMax } from "@lodge/contract/limits";

/** The server of `lodge-ask`, which connects, writes its question, and reads the answer. */
export type Questions = {
  /** The time that the command has waited for people so far, in milliseconds. */
  waitedMs: () => number;
  close: () => Promise<void>;
};

/**
 * Takes questions on a Unix socket. `ask` asks people until `signal` aborts, and returns the answer, or undefined if
 * there is none. A command that disconnects can ask the same question again and waits for the same answer; a different
 * question replaces the previous one.
 */
export async function openQuestions(
  path: string,
  ask: (question: string, signal: AbortSignal) => Promise<string | undefined>,
): Promise<Questions> {
  const sockets = new Set<Socket>();
  let waitedMs = 0;
  let since: number | undefined;
  let asked: { question: string; answer: Promise<string | undefined>; over: AbortController } | undefined;

  function answerTo(question: string) {
    if (asked?.question !== question) {
      asked?.over.abort();
      const over = new AbortController();
      asked = { question, answer: ask(question, over.signal).catch(() => undefined), over };
    }
    return asked.answer;
  }

  async function reply(socket: Socket, question: string) {
    since ??= performance.now();
    sockets.add(socket);
    const answer = question === "" ? undefined : await answerTo(question);
    if (answer !== undefined && asked?.question === question) asked = undefined;
    socket.end(answer ?? "");
  }

  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let text = "";
    socket.on("error", () => {}); // the command disconnected
    socket.on("close", () => {
      sockets.delete(socket);
      if (sockets.size > 0 || since === undefined) return;
      waitedMs += performance.now() - since;
      since = undefined;
    });
    socket.setEncoding("utf8").on("data", (piece: string) => {
      text = (text + piece).slice(0, runSummaryLengthMax);
    });
    socket.on("end", () => void reply(socket, text.replaceAll("\0", "").toWellFormed().trim()));
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(path, resolve));
  return {
    waitedMs: () => waitedMs + (since === undefined ? 0 : performance.now() - since),
    close: () => {
      asked?.over.abort();
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
