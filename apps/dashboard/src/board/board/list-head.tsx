import type { BoardSearch, ListGroup, ListSort } from "@lodge/contract/dashboard/boards";
import { useNavigate } from "@tanstack/react-router";
import { ArrowDown, ArrowUp } from "lucide-react";
import { Choice } from "../../ui/choice.tsx";
import { many } from "../../ui/numbers.ts";
import { SaveView } from "./board-views.tsx";
import { defaultSort } from "./list-query.ts";
import { filtersOf } from "./to-filter.ts";

/** The grid columns of a row, by the width of the list. */
export const rowClass =
  "grid grid-cols-[2rem_minmax(0,1fr)_2rem] items-center gap-x-2 px-2 md:px-4 @2xl:grid-cols-[2rem_minmax(0,1fr)_7rem_5.5rem_2rem_5.5rem_2rem] @5xl:grid-cols-[2rem_minmax(0,1fr)_8rem_6rem_9rem_11rem_6.5rem_6.5rem_2rem]";
/** Classes of cells that are shown only in medium and in wide lists. */
export const someRoom = "hidden @2xl:block";
export const muchRoom = "hidden @5xl:block";

const sortNames: Record<ListSort, string> = {
  createdAt: "Newest first",
  updatedAt: "Last updated first",
  dueAt: "Earliest due first",
  priority: "Most urgent first",
  position: "Board order",
};

const none = "none";
type Group = ListGroup | typeof none;

const groupNames: Record<Group, string> = {
  none: "No groups",
  column: "By column",
  assignee: "By assignee",
  label: "By label",
  priority: "By priority",
  author: "By author",
};

/** The columns, and the order that each sorts by; undefined if it cannot sort. */
const heads: { name: string; sort?: ListSort; direction?: "ascending" | "descending" | "other"; className: string }[] =
  [
    { name: "Card", sort: "createdAt", direction: "descending", className: "" },
    { name: "Column", sort: "position", direction: "other", className: someRoom },
    { name: "Priority", sort: "priority", direction: "descending", className: someRoom },
    { name: "Assignee", className: someRoom },
    { name: "Labels", className: muchRoom },
    { name: "Due", sort: "dueAt", direction: "ascending", className: someRoom },
    { name: "Updated", sort: "updatedAt", direction: "descending", className: muchRoom },
  ];

function useShow(search: BoardSearch) {
  const navigate = useNavigate();
  return ({ sort = search.sort ?? defaultSort, group = search.group ?? none }: { sort?: ListSort; group?: Group }) =>
    void navigate({
      to: ".",
      search: {
        ...filtersOf(search),
        view: "list",
        ...(sort !== defaultSort && { sort }),
        ...(group !== none && { group }),
      },
      replace: true,
    });
}

/** The grouping and order of a list, and the number of its cards. */
export function ListOptions({
  boardId,
  search,
  cardCount,
}: {
  boardId: string;
  search: BoardSearch;
  cardCount: number;
}) {
  const show = useShow(search);
  const groupOptions = (Object.keys(groupNames) as Group[]).map((value) => ({ value, label: groupNames[value] }));
  const sortOptions = (Object.keys(sortNames) as ListSort[]).map((value) => ({ value, label: sortNames[value] }));
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2 text-sm md:px-6">
      <Choice
        chip
        label="Group"
        options={groupOptions}
        value={search.group ?? none}
        onChange={(group) => show({ group })}
      />
      <Choice
        chip
        label="Sort"
        options={sortOptions}
        value={search.sort ?? defaultSort}
        onChange={(sort) => show({ sort })}
      />
      {Object.keys(filtersOf(search)).length === 0 && <SaveView boardId={boardId} search={search} />}
      <p className="ml-auto text-muted tabular-nums max-sm:sr-only">{many(cardCount, "card")}</p>
    </div>
  );
}

/** The column headings, most of which sort the list. */
export function ListHead({ search }: { search: BoardSearch }) {
  const show = useShow(search);
  const sorted = search.sort ?? defaultSort;
  return (
    <thead className="sticky top-0 z-10 block bg-canvas">
      <tr aria-rowindex={1} className={`${rowClass} h-9 border-b border-line text-left text-xs text-muted`}>
        <td />
        {heads.map(({ name, sort, direction, className }) => (
          <th
            key={name}
            scope="col"
            {...(sort === sorted && { "aria-sort": direction })}
            className={`truncate font-medium ${className}`}
          >
            {sort ? (
              <button
                type="button"
                title={sortNames[sort]}
                onClick={() => show({ sort })}
                className={`-mx-1 inline-flex items-center gap-1 rounded-sm px-1 py-1 hover:text-ink ${sort === sorted ? "text-ink" : ""}`}
              >
                {name}
                {sort === sorted && direction === "ascending" && <ArrowUp aria-hidden className="size-3" />}
                {sort === sorted && direction !== "ascending" && <ArrowDown aria-hidden className="size-3" />}
              </button>
            ) : (
              <span className="@max-5xl:sr-only">{name}</span>
            )}
          </th>
        ))}
        <td />
      </tr>
    </thead>
  );
}
