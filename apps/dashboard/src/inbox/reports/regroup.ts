import { changeProblem, getProblem, mergeProblems, splitProblem } from "@lodge/contract/calls.generated";
import type { ProblemDetails, ProblemSummary } from "@lodge/contract/dashboard/inbox";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { tellDone, tellFailed } from "../../ui/toasts.tsx";

/** The number of hashes that a problem shows. A merge with more cannot be undone. */
const hashesShownMax = 100;

/** Merges other problems of the app into a problem, and shows a message with an undo. */
export async function mergeInto(problem: ProblemDetails, others: readonly ProblemSummary[]) {
  const before = await Promise.all(others.map(({ id }) => call(getProblem, { params: { problemId: id } })));
  await call(mergeProblems, { params: { problemId: problem.id }, body: { problemIds: others.map(({ id }) => id) } });
  await fetchChanged(problem);
  const isKnown = before.every(({ hashes }) => hashes.length < hashesShownMax);
  const text = others.length === 1 ? "Merged with another problem" : `Merged with ${others.length} other problems`;
  tellDone(text, isKnown ? () => void undoMerge(problem, before).catch(tellNotUndone) : undefined);
}

/** Splits the merged problems off again, each with its previous state and its cards. */
async function undoMerge(problem: ProblemDetails, before: readonly ProblemDetails[]) {
  for (const { hashes, state, resolvedVersion, mutedUntil } of before) {
    const params = { problemId: problem.id };
    const { id } = await call(splitProblem, { params, body: { hashes: hashes.map(({ hash }) => hash) } });
    if (state === "open") continue;
    const body = {
      state,
      ...(resolvedVersion !== null && { version: resolvedVersion }),
      ...(mutedUntil !== null && { until: mutedUntil }),
    };
    await call(changeProblem, { params: { problemId: id }, body });
  }
  await fetchChanged(problem);
}

/** Splits some hashes of a problem off as a new problem, and shows a message with an undo. */
export async function splitOff(problem: ProblemDetails, hashes: readonly string[]): Promise<ProblemDetails> {
  const params = { problemId: problem.id };
  const made = await call(splitProblem, { params, body: { hashes: [...hashes] } });
  await fetchChanged(problem);
  const undo = async () => {
    await call(mergeProblems, { params, body: { problemIds: [made.id] } });
    await fetchChanged(problem);
  };
  tellDone(`Split off: ${made.title}`, () => void undo().catch(tellNotUndone));
  return made;
}

const fetchChanged = ({ appId, id }: ProblemSummary) => fetchAfter({ kind: "problem.changed", appId, problemId: id });

const tellNotUndone = (error: unknown) => tellFailed("Could not undo", error);
