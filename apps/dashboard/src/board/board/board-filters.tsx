import type { CallAnswer } from "@lodge/contract/call";
import type { listAuthors } from "@lodge/contract/calls.generated";
import type { Person } from "@lodge/contract/dashboard/access";
import type { BoardSearch } from "@lodge/contract/dashboard/boards";
import { filterLengthMax } from "@lodge/contract/limits";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { CircleUserRound, KeyRound, ListFilter, Smartphone, UserRound, X } from "lucide-react";
import { memo, type ReactNode, useState } from "react";
import { authorsQuery, peopleQuery } from "../../api/queries.ts";
import { useSession } from "../../session/use-session.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Button } from "../../ui/button.tsx";
import { Choice, type Option } from "../../ui/choice.tsx";
import { keepFocusAt } from "../../ui/keep-focus.ts";
import { type Opened, openedBy, Popup } from "../../ui/popup.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { useMedia } from "../../ui/use-media.ts";
import type { Priority } from "../palette.ts";
import { PriorityMark, priorityLabels } from "../ticket/priority.tsx";
import { SaveView } from "./board-views.tsx";
import { LabelFilter } from "./label-filter.tsx";
import { filtersOf } from "./to-filter.ts";

/** Screens with room for the text filter and “Mine” next to the other filters. */
const wide = "(min-width: 48rem)";
const any = "any-value";
const markClass = "size-4 shrink-0 text-muted";

type Filters = ReturnType<typeof filtersOf>;
type Name = Exclude<keyof Filters, "q" | "open">;
type Choices = Record<Name, { label: string; options: Option<string>[] }>;
type Show = (change: { [Key in keyof BoardSearch]: BoardSearch[Key] | undefined }) => void;

/** The filters of a board. Kept in the URL, so that they can be shared and survive a reload. */
export const BoardFilters = memo(function BoardFilters({ search }: { search: BoardSearch }) {
  const roomy = useMedia(wide);
  const [opened, setOpened] = useState<Opened>();
  const show = useShow(search);
  const { q, ...choices } = filtersOf(search);
  const count = Object.keys(choices).length + (roomy || !q ? 0 : 1);
  const mine = search.assignee === "me";
  const text = (
    <SearchField
      label="Filter by text"
      {...(roomy && { shortcut: "/" })}
      lengthMax={filterLengthMax}
      text={q ?? ""}
      onChange={(text) => show({ q: text || undefined })}
      className={roomy ? "w-44 @max-2xl:w-36" : "w-full"}
    />
  );
  const own = (
    <Button
      aria-pressed={mine}
      onClick={() => show({ assignee: mine ? undefined : "me" })}
      className="aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent-ink"
    >
      <CircleUserRound aria-hidden className="size-4" />
      <span className={roomy ? "@max-2xl:sr-only" : ""}>Mine</span>
    </Button>
  );
  return (
    <search className="flex items-center gap-2">
      {roomy && text}
      {roomy && own}
      <Button
        aria-haspopup="dialog"
        aria-expanded={opened !== undefined}
        onClick={(event) => setOpened(opened ? undefined : openedBy(event))}
        className={count > 0 ? "border-accent bg-accent-soft text-accent-ink" : ""}
      >
        <ListFilter aria-hidden className="size-4" />
        <span className="@max-2xl:sr-only">Filters</span>
        {count > 0 && (
          <span className="tabular-nums">
            {count}
            <span className="sr-only"> set</span>
          </span>
        )}
      </Button>
      {opened && (
        <Popup
          {...opened}
          role="dialog"
          label="Filters"
          align="end"
          close={() => setOpened(undefined)}
          className="w-80 max-w-[calc(100vw-1rem)] p-3"
        >
          <div className="flex flex-col gap-3">
            {!roomy && text}
            {!roomy && own}
            <Fields search={search} show={show} />
          </div>
        </Popup>
      )}
    </search>
  );
});

function useShow(search: BoardSearch): Show {
  const navigate = useNavigate();
  return (change) =>
    void navigate({
      to: ".",
      search: Object.fromEntries(Object.entries({ ...search, ...change }).filter(([, value]) => value)),
      replace: true,
    });
}

function Fields({ search, show }: { search: BoardSearch; show: Show }) {
  const choices = useChoices(search);
  return (
    <>
      {(Object.keys(choices) as Name[]).map((name) => (
        <div key={name} className="grid grid-cols-[5rem_1fr] items-center gap-2">
          <span aria-hidden className="text-sm text-muted">
            {choices[name].label}
          </span>
          {name === "label" ? (
            <LabelFilter label={search.label} show={(label) => show({ label })} />
          ) : (
            <Choice
              label={choices[name].label}
              options={choices[name].options}
              value={search[name] ?? any}
              onChange={(value) => show({ [name]: value === any ? undefined : value })}
            />
          )}
        </div>
      ))}
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={search.open === true}
          onChange={(event) => show({ open: event.target.checked || undefined })}
          className="size-4 shrink-0 accent-accent"
        />
        Only open cards
      </label>
      <p className="text-xs text-muted">
        The filter is part of the page's URL. Share the link, or save the filter as a view.
      </p>
    </>
  );
}

/** The active filters, each with a button that removes it. */
export const ActiveFilters = memo(function ActiveFilters({
  boardId,
  search,
}: {
  boardId: string;
  search: BoardSearch;
}) {
  const change = useShow(search);
  const show: Show = (changed) => {
    keepFocusAt("search [aria-haspopup=dialog]");
    change(changed);
  };
  const choices = useChoices(search);
  const set: { name: keyof Filters; text: ReactNode; said: string }[] = (
    Object.keys(filtersOf(search)) as (keyof Filters)[]
  )
    .filter((name) => search[name] !== undefined)
    .map((name) => {
      if (name === "q") return { name, text: `“${search.q}”`, said: "text" };
      if (name === "open") return { name, text: "Only open cards", said: "only open cards" };
      const { label, options } = choices[name];
      const chosen = options.find(({ value }) => value === search[name]);
      return { name, text: `${label}: ${chosen?.label ?? ""}`, said: label.toLowerCase() };
    });
  if (set.length === 0) return null;
  return (
    <ul aria-label="Active filters" className="flex min-w-0 items-center gap-1.5 overflow-x-auto p-0.5">
      {set.map(({ name, text, said }) => (
        <li
          key={name}
          dir="auto"
          className="flex h-6 max-w-60 shrink-0 items-center gap-0.5 rounded-full bg-accent-soft pr-0.5 pl-2.5 text-xs text-accent-ink"
        >
          <span className="truncate">{text}</span>
          <button
            type="button"
            aria-label={`Remove filter: ${said}`}
            onClick={() => show({ [name]: undefined })}
            className="inline-flex size-5 shrink-0 items-center justify-center rounded-full hover:bg-hover"
          >
            <X aria-hidden className="size-3" />
          </button>
        </li>
      ))}
      <li className="flex shrink-0">
        <Button
          small
          look="quiet"
          className="h-6 text-xs"
          onClick={() => show(Object.fromEntries(set.map(({ name }) => [name, undefined])))}
        >
          Clear
        </Button>
        <SaveView boardId={boardId} search={search} />
      </li>
    </ul>
  );
});

const option = (value: string, label: string): Option<string> => ({ value, label });

/** The choices of each filter, including a value in the URL that no longer exists. */
function useChoices(search: BoardSearch): Choices {
  const { user } = useSession();
  const { data: people = [] } = useQuery(peopleQuery);
  const { data: authors = [] } = useQuery(authorsQuery);
  const others = people.filter(({ id }) => id !== user.id);
  const choices: Choices = {
    assignee: {
      label: "Assignee",
      options: [
        { ...option(any, "Anyone"), mark: <UserRound aria-hidden className={markClass} /> },
        { ...option("me", "Me"), mark: <Avatar small name={user.name} /> },
        { ...option("none", "Nobody"), mark: <UserRound aria-hidden className={markClass} /> },
        ...others.map(personOption),
      ],
    },
    priority: {
      label: "Priority",
      options: [
        option(any, "Any priority"),
        ...(Object.keys(priorityLabels) as Priority[]).reverse().map((priority) => ({
          ...option(priority, priorityLabels[priority]),
          mark: <PriorityMark priority={priority} />,
        })),
      ],
    },
    label: { label: "Label", options: [option(any, "Any label")] },
    author: {
      label: "Filed by",
      options: [
        option(any, "Anyone"),
        { ...option("me", "Me"), mark: <Avatar small name={user.name} /> },
        option("person", "People"),
        { ...option("token", "API tokens"), mark: <KeyRound aria-hidden className={markClass} /> },
        { ...option("app", "Apps"), mark: <Smartphone aria-hidden className={markClass} /> },
        ...authors.map(authorOption),
        ...others.filter(({ isAgent }) => !isAgent).map(personOption),
      ],
    },
    due: {
      label: "Due",
      options: [
        option(any, "Any time"),
        option("overdue", "Overdue"),
        option("today", "Today"),
        option("week", "Within 7 days"),
      ],
    },
    filed: {
      label: "Filed",
      options: [
        option(any, "Any time"),
        option("today", "Today"),
        option("week", "Last 7 days"),
        option("month", "Last 30 days"),
      ],
    },
  };
  for (const name of ["assignee", "label", "author"] as const) {
    const value = search[name];
    const { options } = choices[name];
    if (value === undefined || options.some((known) => known.value === value)) continue;
    options.push(option(value, name === "label" ? value : value === user.id ? user.name : "Former member"));
  }
  return choices;
}

const personOption = ({ id, name, isAgent }: Person): Option<string> => ({
  value: id,
  label: name,
  mark: <Avatar small name={name} isAgent={isAgent} />,
});

const authorOption = ({ id, name, kind }: CallAnswer<typeof listAuthors>["authors"][number]): Option<string> => ({
  value: id,
  label: name,
  mark:
    kind === "app" ? <Smartphone aria-hidden className={markClass} /> : <KeyRound aria-hidden className={markClass} />,
});
