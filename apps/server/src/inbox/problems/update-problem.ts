import type { UpdateProblem } from "@lodge/contract/apiproblems";
import { keepAnswer, onceForKey } from "../../board/tickets/keep-answer.ts";
import type { Idempotency } from "../../board/tickets/write-ticket.ts";
import type { Replay, Token } from "../../people/tokens/authenticate-token.ts";
import { tokenAsChanger } from "../../people/tokens/changer.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput } from "../../platform/errors.ts";
import { setProblemState } from "./change-problem.ts";
import { readProblem } from "./list-problems.ts";

/**
 * Opens, resolves or mutes a problem in the name of a token. Returns the serialised problem, or the stored response if
 * another request with the same Idempotency-Key was faster. Throws `problem_not_found` or `invalid_input`.
 */
export function updateProblem(
  deps: Deps,
  token: Token,
  problemId: string,
  input: UpdateProblem,
  idempotency?: Idempotency,
): Promise<{ body: string } | { replay: Replay }> {
  for (const [field, state] of [
    ["version", "resolved"],
    ["until", "muted"],
  ] as const) {
    if (input[field] !== undefined && input.state !== state) {
      throw invalidInput([{ path: `/${field}`, message: `is allowed only with the state ${state}` }]);
    }
  }
  return onceForKey(deps, token, idempotency, async () => {
    await readProblem(deps, token, problemId); // assigns the problem's number
    let body = "";
    await setProblemState(deps, tokenAsChanger(token), problemId, input, async (tx) => {
      body = JSON.stringify(await readProblem({ ...deps, db: tx }, token, problemId));
      if (idempotency) await keepAnswer(tx, token, idempotency, { status: 200, body }, deps.clock.now());
    });
    return { body };
  });
}
