import { changeSignInRules, getSignInRules } from "@lodge/contract/calls.generated";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId } from "react";
import { call, isRefused } from "../../api/call.ts";
import { query } from "../../api/query.ts";
import { useSession } from "../../session/use-session.ts";
import { FormError } from "../../ui/notice.tsx";

const rulesQuery = query(getSignInRules);

/** The sign-in rules of the organisation. Owners can change them. */
export function SignInRules() {
  const { organisation } = useSession();
  const queryClient = useQueryClient();
  const id = useId();
  const rules = useQuery(rulesQuery);
  const change = useMutation({
    mutationFn: (requiresSecondFactor: boolean) => call(changeSignInRules, { body: { requiresSecondFactor } }),
    onSuccess: (changed) => queryClient.setQueryData(rulesQuery.queryKey, changed),
  });
  if (!rules.data) return null;
  const { requiresSecondFactor } = change.isPending ? { requiresSecondFactor: change.variables } : rules.data;
  return (
    <section aria-label="Sign-in" className="mt-8">
      <h2 className="mb-2 text-md font-semibold">Sign-in</h2>
      <div className="flex gap-3 rounded-lg border border-line bg-surface px-3 py-2.5">
        <input
          id={id}
          type="checkbox"
          aria-describedby={`${id}-hint`}
          className="mt-1 size-4 accent-accent"
          disabled={organisation.role !== "owner"}
          checked={requiresSecondFactor}
          onChange={(event) => change.mutate(event.target.checked)}
        />
        <div>
          <label htmlFor={id} className="font-medium">
            Require a second factor
          </label>
          <p id={`${id}-hint`} className="text-sm text-muted">
            Members must set one up before they can continue.
            {organisation.role !== "owner" && " Only an owner can change this."}
          </p>
        </div>
      </div>
      {isRefused(change.error, "second_factor_needed") ? (
        <p role="alert" className="mt-2 text-sm">
          Set up{" "}
          <Link to="/profile" className="underline">
            a second factor of your own
          </Link>{" "}
          first.
        </p>
      ) : (
        <FormError error={change.error} />
      )}
    </section>
  );
}
