import type { TakenRun } from "@lodge/contract/runners";
import { deferred } from "./deferred.ts";
import type { Answer } from "./lodge-server.ts";
import type { Work, Workshop } from "./workshop.ts";

/** The time limit for an answer. */
const questionMs = 86_400_000;

/** Asks a question on the ticket and waits for the first comment of a person; undefined if none comes within a day. */
export async function askPeople(
  { server }: Workshop,
  run: TakenRun,
  { log, conversation, signal }: Pick<Work, "log" | "conversation" | "signal">,
  question: string,
): Promise<string | undefined> {
  const answered = deferred<Answer | undefined>();
  const givenUp = AbortSignal.any([signal, AbortSignal.timeout(questionMs)]);
  givenUp.addEventListener("abort", () => answered.resolve(undefined));
  await server.askPeople(run, question, signal);
  log.add("said", question);
  conversation.onAnswer = answered.resolve;
  const answer = await answered.promise;
  conversation.onAnswer = () => {};
  if (answer) log.add("note", `${answer.author} answered.`);
  return answer?.text;
}
