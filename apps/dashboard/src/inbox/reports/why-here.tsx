import type { ProblemDetails } from "@lodge/contract/dashboard/inbox";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Split } from "lucide-react";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { many } from "../../ui/numbers.ts";
import { Part } from "../../ui/part.tsx";
import { tellFailed } from "../../ui/toasts.tsx";
import { splitOff } from "./regroup.ts";

type Hash = ProblemDetails["hashes"][number];

const rules: Record<Hash["rule"], string> = {
  fingerprint: "The app sent this fingerprint",
  own_frames: "Grouped by error type and these app frames",
  first_frame: "Grouped by error type and this first frame",
  message: "Grouped by error type and message, ignoring numbers, ids, addresses and paths",
};

/** The fingerprints of a problem, exactly as hashed. If there are several, some can be split off. */
export function WhyHere({ problem }: { problem: ProblemDetails }) {
  const { hashes } = problem;
  const [chosen, choose] = useState<readonly string[]>([]);
  const off = chosen.filter((hash) => hashes.some((other) => other.hash === hash));
  const split = useMutation({
    mutationFn: () => splitOff(problem, off),
    onSuccess: () => choose([]),
    onError: (error) => tellFailed("Could not split the problem", error),
  });
  return (
    <Part title="Why these reports are grouped">
      {hashes.length > 1 && (
        <p className="mb-2 text-sm text-muted">
          This problem has {hashes.length} fingerprints. Choose the ones that belong to another problem, then split them
          off.
        </p>
      )}
      <ul className="flex flex-col gap-3">
        {hashes.map((one) => (
          <li key={one.hash} className="rounded-md border border-line bg-surface p-3">
            {hashes.length > 1 ? (
              <label className="flex items-start gap-2.5">
                <input
                  type="checkbox"
                  checked={off.includes(one.hash)}
                  onChange={({ target }) =>
                    choose(target.checked ? [...off, one.hash] : off.filter((hash) => hash !== one.hash))
                  }
                  className="mt-0.5 size-4 shrink-0 accent-accent"
                />
                <Rule hash={one} />
              </label>
            ) : (
              <Rule hash={one} />
            )}
            <ol className="mt-1 font-mono text-xs leading-5">
              {one.strings.map((text, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two entries may be equal
                <li key={index} className="wrap-anywhere whitespace-pre-wrap">
                  {text}
                </li>
              ))}
            </ol>
          </li>
        ))}
      </ul>
      {(hashes.length > 1 || split.data) && (
        <div className="mt-3 flex flex-wrap items-center gap-3">
          {hashes.length > 1 && (
            <Button
              disabled={off.length === 0 || off.length === hashes.length}
              busy={split.isPending}
              onClick={() => split.mutate()}
            >
              <Split aria-hidden className="size-4" />
              Split off {off.length > 1 ? `${off.length} of them` : ""}
            </Button>
          )}
          {off.length === hashes.length && <p className="text-sm text-muted">At least one fingerprint must stay.</p>}
          {split.data && (
            <Link
              to="/problems/$problemId"
              params={{ problemId: split.data.id }}
              className="text-accent-ink underline underline-offset-2 wrap-anywhere"
            >
              Show the new problem
            </Link>
          )}
        </div>
      )}
    </Part>
  );
}

function Rule({ hash: { rule, ruleVersion, isRetired, eventCount } }: { hash: Hash }) {
  return (
    <p className="text-sm text-muted">
      {rules[rule]} (version {ruleVersion} of the grouping rules
      {isRetired && "; since the regrouping, new reports no longer match this fingerprint"}),{" "}
      {many(eventCount, "report")}:
    </p>
  );
}
