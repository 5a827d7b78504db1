import type { RefusalList } from "@lodge/contract/dashboard/apps";
import { errors } from "@lodge/contract/errors";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { LoadError } from "../../ui/notice.tsx";
import { formatCount } from "../../ui/numbers.ts";
import { Section } from "../../ui/section.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Day, Time } from "../../ui/time.tsx";
import { refusalsQuery } from "./app-queries.ts";

const acceptedMax = 10_000;

/** Explains why reports are missing from the inbox: those refused in the last 30 days, and why. */
export function Refusals({ appId }: { appId: string }) {
  const refusals = useQuery(refusalsQuery(appId));
  return (
    <Section title="Missing reports">
      {refusals.isPending && <Skeleton className="h-16" />}
      {refusals.isError && !refusals.data && <LoadError error={refusals.error} retry={() => void refusals.refetch()} />}
      {refusals.data && <Explained list={refusals.data} />}
    </Section>
  );
}

type Refusal = RefusalList["refusals"][number];

function Explained({ list: { refusals, discarded, unstored, acceptedCount } }: { list: RefusalList }) {
  const accepted = `${formatCount(acceptedCount)}${acceptedCount === acceptedMax ? "+" : ""}`;
  const refused = refusals.reduce((sum, { count }) => sum + count, 0);
  const byCode = [...Map.groupBy(refusals, ({ code }) => code)];
  return (
    <>
      <p className="text-muted">
        In the last 30 days {accepted} {acceptedCount === 1 ? "report was" : "reports were"} accepted and{" "}
        {formatCount(refused)} refused. Reports that were sent without a key of this app or never reached Lodge are not
        counted.
      </p>
      {byCode.map(([code, entries]) => (
        <OneCode key={code} code={code} entries={entries} />
      ))}
      {unstored.length > 0 && (
        <Counted
          title="Accepted but not stored"
          hint="Lodge keeps errors, messages, feedback and their attachments. Everything else that Sentry SDKs send is counted but not stored:"
          counts={unstored.map(({ type, count }) => ({ name: type, count }))}
        />
      )}
      {discarded.length > 0 && (
        <Counted
          title="Discarded by Sentry SDKs"
          hint="Sentry SDKs reported that they discarded these before sending:"
          counts={discarded.map(({ category, reason, count }) => ({ name: `${category}, ${reason}`, count }))}
        />
      )}
    </>
  );
}

/** Counts by name, with an explanation. */
function Counted({ title, hint, counts }: { title: string; hint: string; counts: { name: string; count: number }[] }) {
  return (
    <article aria-label={title} className="border-t border-line pt-3">
      <h3 className="font-medium">{title}</h3>
      <p className="mt-1 text-sm">{hint}</p>
      <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm">
        {counts.map(({ name, count }) => (
          <li key={name}>
            <code className="font-mono text-xs">{name}</code>{" "}
            <span className="text-muted tabular-nums">{formatCount(count)} ×</span>
          </li>
        ))}
      </ul>
    </article>
  );
}

function OneCode({ code, entries }: { code: string; entries: Refusal[] }) {
  const help = code in errors ? errors[code as keyof typeof errors] : undefined;
  const count = entries.reduce((sum, entry) => sum + entry.count, 0);
  const id = `refused-${code}`;
  return (
    <article aria-labelledby={id} className="border-t border-line pt-3">
      <h3 id={id} className="flex flex-wrap items-baseline gap-x-2 font-medium">
        <code className="font-mono text-sm">{code}</code>
        <span className="text-sm text-muted tabular-nums">{formatCount(count)} ×</span>
      </h3>
      {help && (
        <p className="mt-1 text-sm">
          <Marked text={help.cause} /> <Marked text={help.remedy} />{" "}
          <a href={`/docs/errors#${code}`} className="text-accent-ink underline underline-offset-2">
            More<span className="sr-only"> about {code}</span>
          </a>
        </p>
      )}
      <table className="mt-2 w-full max-w-md text-left text-sm">
        <thead className="text-xs text-muted">
          <tr>
            <th scope="col" className="py-1 font-medium">
              Day (UTC)
            </th>
            <th scope="col" className="py-1 font-medium">
              Key
            </th>
            <th scope="col" className="py-1 text-right font-medium">
              Refused
            </th>
            <th scope="col" className="py-1 pl-4 font-medium">
              Last
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ day, key, count: ofDay, lastAt }) => (
            <tr key={`${day}-${key.id}`}>
              <td className="py-0.5 whitespace-nowrap">
                <Day date={day} />
              </td>
              <td className="py-0.5 wrap-anywhere">{key.name ?? "a deleted key"}</td>
              <td className="py-0.5 text-right tabular-nums">{formatCount(ofDay)}</td>
              <td className="py-0.5 pl-4 whitespace-nowrap text-muted">
                <Time at={lastAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </article>
  );
}

/** A text of the error reference, with the parts in backticks as code. */
function Marked({ text }: { text: string }) {
  return text.split("`").map((part, index) =>
    index % 2 === 0 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text that never changes
      <Fragment key={index}>{part}</Fragment>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text that never changes
      <code key={index} className="font-mono text-xs">
        {part}
      </code>
    ),
  );
}
