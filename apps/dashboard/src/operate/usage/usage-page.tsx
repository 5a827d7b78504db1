import { changePlan, getUsage } from "@lodge/contract/calls.generated";
import type { ChangePlan, Usage } from "@lodge/contract/dashboard/usage";
import { installLimitMax } from "@lodge/contract/limits";
import { monthlyInstallLimits, type Plan, plans } from "@lodge/contract/plans";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { call } from "../../api/call.ts";
import { query } from "../../api/query.ts";
import { useSession } from "../../session/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormError, LoadError } from "../../ui/notice.tsx";
import { formatCount } from "../../ui/numbers.ts";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Section } from "../../ui/section.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Day } from "../../ui/time.tsx";
import { tellDone } from "../../ui/toasts.tsx";
import { monthInWords } from "./month-words.ts";
import { Months } from "./months.tsx";
import { StrikeOutDialog } from "./strike-out-dialog.tsx";
import { Suspension, WhatHappens } from "./what-happens.tsx";

const countedAnewMs = 30_000;

/** No live event announces changes of the counts. */
const usageQuery = { ...query(getUsage), staleTime: 10_000, refetchInterval: countedAnewMs };

const planLabels: Record<Plan, string> = { free: "Free", team: "Team", business: "Business" };

/** The page of usage and plan: active installs, their limit, the consequences of exceeding it, and the plan. */
export function UsagePage() {
  const usage = useQuery(usageQuery);
  return (
    <main className="mx-auto max-w-3xl px-4 py-8 md:px-8">
      <PageHeading
        title="Usage and plan"
        hint="An install counts once per calendar month (UTC), when it sends a report or requests its configuration."
      />
      {usage.isPending && (
        <div aria-busy className="flex flex-col gap-4">
          <p className="sr-only">Loading the usage</p>
          <Skeleton className="h-24" />
          <Skeleton className="h-48" />
        </div>
      )}
      {usage.isError && !usage.data && <LoadError error={usage.error} retry={() => void usage.refetch()} />}
      {usage.data && <UsageView usage={usage.data} />}
    </main>
  );
}

function UsageView({ usage }: { usage: Usage }) {
  const { organisation } = useSession();
  const owns = organisation.role === "owner";
  return (
    <div className="flex flex-col gap-6">
      {usage.suspension && <Suspension usage={usage} />}
      <ThisMonth usage={usage} />
      <Section title="Last 12 months">
        <Months months={usage.months} />
        {owns && <Overs usage={usage} />}
      </Section>
      <Unusual days={usage.unusualDays} owns={owns} />
      <PlanSection usage={usage} owns={owns} />
    </div>
  );
}

function ThisMonth({ usage }: { usage: Usage }) {
  const { limit } = usage;
  const installs = usage.months.at(-1)?.installs ?? 0;
  const share = limit === 0 ? (installs > 0 ? 1 : 0) : Math.min(installs / limit, 1);
  const colour = installs > limit ? "bg-danger" : share >= 0.8 ? "bg-warn" : "bg-accent";
  return (
    <Section title="This month">
      <p>
        <span className="text-xl font-semibold tabular-nums">{formatCount(installs)}</span>{" "}
        <span className="text-muted">of {formatCount(limit)} active installs</span>
      </p>
      <meter
        aria-label="Active installs"
        min={0}
        max={Math.max(limit, installs, 1)}
        value={installs}
        className="sr-only"
      />
      <div aria-hidden className="h-2.5 overflow-hidden rounded-full bg-sunken">
        <div className={`h-full rounded-full ${colour}`} style={{ width: `${share * 100}%` }} />
      </div>
      <WhatHappens usage={usage} />
    </Section>
  );
}

/** Buttons that exclude months that count as over their limit. */
function Overs({ usage }: { usage: Usage }) {
  const [striking, setStriking] = useState<string>();
  const over = usage.months.filter(({ counts }) => counts === "over");
  if (over.length === 0) return null;
  return (
    <div className="border-t border-line pt-3">
      <p className="text-sm text-muted">
        Fake installs? Anyone who has your app can read its SDK key. An excluded month counts as within its limit.
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        {over.map(({ month }) => (
          <Button key={month} small onClick={() => setStriking(month)}>
            Exclude {monthInWords(month)}
          </Button>
        ))}
      </div>
      {striking && <StrikeOutDialog month={striking} close={() => setStriking(undefined)} />}
    </div>
  );
}

function Unusual({ days, owns }: { days: Usage["unusualDays"]; owns: boolean }) {
  if (days.length === 0) return null;
  return (
    <Section title="Unusual days">
      <p className="text-muted">
        On these days there were more than three times as many new installs as around the same day of the previous
        month. The cause can be growth or fake installs.
        {owns && " If fake installs put a month over its limit, you can exclude the month above."} Replace or revoke an
        abused key on the page of its app.
      </p>
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list */}
      <ul role="list" className="divide-y divide-line">
        {days.map(({ day, installs, usual, keys }) => (
          <li key={day} className="py-1.5">
            <p className="flex flex-wrap items-baseline gap-x-3">
              <span className="w-28 font-medium">
                <Day date={day} />
              </span>
              <span>{formatCount(installs)} new installs</span>
              <span className="text-sm text-muted">
                at most {formatCount(usual)} a day around this day of the previous month
              </span>
            </p>
            {keys.map((key) => (
              <p key={key.id} className="text-sm wrap-anywhere text-muted">
                {formatCount(key.installs)} with the key{" "}
                <Link to="/apps/$appId" params={{ appId: key.app.id }} className="underline">
                  {key.name} of {key.app.name}
                </Link>
                {key.revokedAt !== null && " (replaced or revoked)"}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function PlanSection({ usage, owns }: { usage: Usage; owns: boolean }) {
  const queryClient = useQueryClient();
  const [plan, setPlan] = useState(usage.plan);
  const [ownLimit, setOwnLimit] = useState(usage.ownLimit === null ? "" : `${usage.ownLimit}`);
  const change = useMutation({
    mutationFn: (body: ChangePlan) => call(changePlan, { body }),
    onSuccess: (changed) => {
      queryClient.setQueryData(usageQuery.queryKey, changed);
      setPlan(changed.plan);
      setOwnLimit(changed.ownLimit === null ? "" : `${changed.ownLimit}`);
      tellDone("Plan saved");
    },
  });
  if (!owns) {
    return (
      <Section title="Plan">
        <p>
          {planLabels[usage.plan]}: {formatCount(usage.planLimit)} active installs a month
          {usage.ownLimit !== null && ` (custom limit: ${formatCount(usage.ownLimit)})`}.
        </p>
        <p className="text-sm text-muted">Only an owner can change it.</p>
      </Section>
    );
  }
  const own = ownLimit.trim() === "" ? null : Number(ownLimit);
  const isChanged = plan !== usage.plan || own !== usage.ownLimit;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({
      ...(plan !== usage.plan && { plan }),
      ...(own !== usage.ownLimit && { monthlyInstallLimit: own }),
    });
  };
  return (
    <Section title="Plan">
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <fieldset className="grid gap-2 sm:grid-cols-3">
          <legend className="sr-only">Plan</legend>
          {plans.map((each) => (
            <label
              key={each}
              className="flex items-start gap-2.5 rounded-md border border-line-strong/60 px-3 py-2 has-checked:border-accent has-checked:bg-accent-soft"
            >
              <input
                type="radio"
                name="plan"
                value={each}
                checked={plan === each}
                onChange={() => setPlan(each)}
                className="mt-0.5 size-4 shrink-0 accent-accent"
              />
              <span>
                <span className="font-medium">{planLabels[each]}</span>
                <span className="block text-sm text-muted">{formatCount(monthlyInstallLimits[each])} installs</span>
              </span>
            </label>
          ))}
        </fieldset>
        <TextField
          label="Custom limit"
          type="number"
          min={0}
          max={installLimitMax}
          step={1}
          placeholder={formatCount(monthlyInstallLimits[plan])}
          hint="Replaces the plan's limit. Leave it empty to use the plan's. Choosing a larger plan removes a custom limit that is lower than the plan's."
          value={ownLimit}
          onChange={(event) => setOwnLimit(event.target.value)}
          className="max-w-xs"
        />
        <p className="text-sm text-muted">
          Changes apply immediately. A larger plan or a higher limit ends a suspension; a lower one can cause one.
        </p>
        <FormError error={change.error} />
        <div>
          <Button type="submit" look="primary" disabled={!isChanged} busy={change.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Section>
  );
}
