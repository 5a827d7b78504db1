import { errorBodies } from "@lodge/contract/error-body";
import { type ErrorCode, errors } from "@lodge/contract/errors";
import { errorsOf, isMedia, type Operation } from "@lodge/contract/operation";
import { operations } from "@lodge/contract/operations";
import { compileCheck } from "@lodge/contract/problems";

// Paths without parameters go first: /problems/top is not a problem called "top".
const known = operations
  .map(({ operation }) => ({
    operation,
    pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/g, "[^/]+")}$`),
  }))
  .sort((a, b) => a.operation.path.split("{").length - b.operation.path.split("{").length);

/** The operation of a request; undefined for anything else: the web app, the metrics, an unknown address. */
const operationAt = (method: string, path: string): Operation | undefined =>
  known.find(({ operation, pattern }) => operation.method === method && pattern.test(path.split("?", 1)[0] ?? ""))
    ?.operation;

/** Throws if a response is not one that its operation lists: another status, code, or shape of the body. */
export function checkAnswer(method: string, path: string, status: number, text: string): void {
  const operation = operationAt(method, path);
  if (!operation) return;
  const failure = (why: string) =>
    new Error(`${operation.id} (${method} ${path}) answered ${status} ${why}: ${text.slice(0, 500)}`);
  const answer = operation.answers[status];
  if (answer) {
    if (isMedia(answer) || text === "") return;
    const problems = compileCheck(answer).problemsOf(JSON.parse(text));
    if (problems.length > 0) throw failure(`with a body that does not fit: ${JSON.stringify(problems)}`);
    return;
  }
  const body = JSON.parse(text === "" ? "{}" : text) as { error?: ErrorCode };
  const code = errorsOf(operation).find((listed) => listed === body.error);
  if (!code || errors[code].status !== status) throw failure("which it does not list");
  const problems = compileCheck(errorBodies[code]).problemsOf(body);
  if (problems.length > 0) throw failure(`with a body that does not fit: ${JSON.stringify(problems)}`);
}
