import { filterLengthMax } from "@lodge/contract/limits";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { UserRound, X } from "lucide-react";
import { type CardFilter, peopleQuery } from "../api/queries.ts";
import { type Priority, PriorityMark, priorityLabels } from "../ticket/priority.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { Choice, type Option } from "../ui/choice.tsx";
import { SearchField } from "../ui/search-field.tsx";

const anyPriority: Option<Priority | "any"> = { value: "any", label: "Any priority" };

/** Which cards are shown; kept in the address, so that it can be shared and survives a reload. */
export function BoardFilters({ filter }: { filter: CardFilter }) {
  const navigate = useNavigate();
  const { data: people = [] } = useQuery(peopleQuery);
  const show = (change: { [Key in keyof CardFilter]: CardFilter[Key] | undefined }) =>
    navigate({
      to: ".",
      search: Object.fromEntries(Object.entries({ ...filter, ...change }).filter(([, value]) => value)),
      replace: true,
    });
  const assignees: Option<string>[] = [
    { value: "any", label: "Anybody", mark: <UserRound aria-hidden className="size-4 shrink-0 text-muted" /> },
    { value: "none", label: "Nobody", mark: <UserRound aria-hidden className="size-4 shrink-0 text-muted" /> },
    ...people.map(({ id, name, isAgent }) => ({
      value: id,
      label: name,
      mark: <Avatar small name={name} isAgent={isAgent} />,
    })),
  ];
  const priorities: Option<Priority | "any">[] = [
    anyPriority,
    ...(Object.keys(priorityLabels) as Priority[]).reverse().map((priority) => ({
      value: priority,
      label: priorityLabels[priority],
      mark: <PriorityMark priority={priority} />,
    })),
  ];
  return (
    <search className="flex w-max items-center gap-2 p-0.5">
      <SearchField
        label="Filter by text"
        lengthMax={filterLengthMax}
        text={filter.q ?? ""}
        onChange={(q) => void show({ q })}
        className="w-40"
      />
      <Choice
        label="Assignee"
        options={assignees}
        value={filter.assignee ?? "any"}
        onChange={(assignee) => void show({ assignee: assignee === "any" ? undefined : assignee })}
        className="w-36"
      />
      <Choice
        label="Priority"
        options={priorities}
        value={filter.priority ?? "any"}
        onChange={(priority) => void show({ priority: priority === "any" ? undefined : priority })}
        className="w-36"
      />
      {Object.keys(filter).length > 0 && (
        <Button look="quiet" onClick={() => void show({ q: undefined, assignee: undefined, priority: undefined })}>
          <X aria-hidden className="size-4" />
          Clear
        </Button>
      )}
    </search>
  );
}
