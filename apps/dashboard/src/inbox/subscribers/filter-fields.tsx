import type { SubscriberFilter } from "@lodge/contract/dashboard/subscribers";
import { reportKinds } from "@lodge/contract/envelope";
import { useId } from "react";
import { controlClass } from "../../ui/field.tsx";
import { kindLabels } from "../report-kind.tsx";
import { SpikeFields } from "../spike-fields.tsx";

type Lists = "environments" | "versions" | "tags" | "errorTypes";

/** The state of the filter fields: each list as text, one value per line. */
export type FilterDraft = Record<Lists | "events" | "minutes", string> &
  Record<"firstOfProblem" | "back", boolean> & { kinds: readonly Kind[] };

type Kind = (typeof reportKinds)[number];

/** The fields for an existing filter. */
export const draftOf = (filter: SubscriberFilter | null): FilterDraft => ({
  kinds: filter?.kinds ?? [],
  environments: lines(filter?.environments),
  versions: lines(filter?.versions),
  tags: lines(filter?.tags),
  errorTypes: lines(filter?.errorTypes),
  firstOfProblem: filter?.firstOfProblem ?? filter?.newProblemsOnly ?? false,
  back: filter?.back ?? false,
  events: filter?.spike ? String(filter.spike.events) : "",
  minutes: filter?.spike ? String(filter.spike.minutes) : "",
});

/** The filter from its fields; null if it matches everything. */
export function filterOf(draft: FilterDraft): SubscriberFilter | null {
  const filter: SubscriberFilter = {
    ...(draft.kinds.length > 0 && { kinds: [...draft.kinds] }),
    ...(draft.firstOfProblem && { firstOfProblem: true }),
    ...(draft.back && { back: true }),
    ...(draft.events !== "" && { spike: { events: Number(draft.events), minutes: Number(draft.minutes) } }),
  };
  for (const { name } of lists) {
    const values = draft[name]
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
    if (values.length > 0) filter[name] = values;
  }
  return Object.keys(filter).length > 0 ? filter : null;
}

const lines = (values: string[] = []) => values.join("\n");

const lists: { name: Lists; label: string; placeholder: string }[] = [
  { name: "environments", label: "Environments", placeholder: "production" },
  { name: "versions", label: "Versions", placeholder: "2.4.1" },
  { name: "tags", label: "Tags", placeholder: "plan=business" },
  { name: "errorTypes", label: "Error types", placeholder: "TypeError" },
];

/** The filter of a subscriber, behind a summary that says whether there is one. */
export function FilterFields({ draft, change }: { draft: FilterDraft; change: (draft: FilterDraft) => void }) {
  const id = useId();
  const isSet = filterOf(draft) !== null;
  return (
    <details open={isSet || undefined} className="rounded-md border border-line px-3 py-2">
      <summary className="cursor-pointer text-sm font-medium">
        Filter: <span className="font-normal text-muted">{isSet ? "some reports" : "all reports"}</span>
      </summary>
      <div className="mt-3 flex flex-col gap-3">
        <fieldset>
          <legend className="mb-1 text-sm font-medium">Kinds</legend>
          <div className="flex flex-wrap gap-x-4 gap-y-1">
            {reportKinds.map((kind) => (
              <label key={kind} className="flex items-center gap-1.5 text-sm">
                <input
                  type="checkbox"
                  className="accent-accent"
                  checked={draft.kinds.includes(kind)}
                  onChange={({ target }) =>
                    change({
                      ...draft,
                      kinds: target.checked ? [...draft.kinds, kind] : draft.kinds.filter((other) => other !== kind),
                    })
                  }
                />
                {kindLabels[kind]}
              </label>
            ))}
          </div>
        </fieldset>
        <div className="grid grid-cols-2 gap-3">
          {lists.map(({ name, label, placeholder }) => (
            <div key={name}>
              <label htmlFor={`${id}-${name}`} className="mb-1 block text-sm font-medium">
                {label}
              </label>
              <textarea
                id={`${id}-${name}`}
                rows={2}
                placeholder={placeholder}
                value={draft[name]}
                onChange={({ target }) => change({ ...draft, [name]: target.value })}
                className={`${controlClass} py-1.5`}
              />
            </div>
          ))}
        </div>
        <p className="text-xs text-muted">
          One value per line. A report must match at least one value of every field that is filled in.
        </p>
        <fieldset className="flex flex-col gap-1">
          <legend className="mb-1 text-sm font-medium">Only new or reopened problems</legend>
          <News label="The first report of each problem" field="firstOfProblem" draft={draft} change={change} />
          <News label="Reports that reopen a resolved problem" field="back" draft={draft} change={change} />
        </fieldset>
        <SpikeFields
          events={draft.events}
          minutes={draft.minutes}
          setEvents={(events) => change({ ...draft, events })}
          setMinutes={(minutes) => change({ ...draft, minutes })}
        />
      </div>
    </details>
  );
}

function News({
  label,
  field,
  draft,
  change,
}: {
  label: string;
  field: "firstOfProblem" | "back";
  draft: FilterDraft;
  change: (draft: FilterDraft) => void;
}) {
  return (
    <label className="flex items-center gap-1.5 text-sm">
      <input
        type="checkbox"
        className="accent-accent"
        checked={draft[field]}
        onChange={({ target }) => change({ ...draft, [field]: target.checked })}
      />
      {label}
    </label>
  );
}
