import { moveTicket } from "@lodge/contract/calls.generated";
import type { BoardSummary } from "@lodge/contract/dashboard/boards";
import type { ChangeTicket, TicketDetails } from "@lodge/contract/dashboard/tickets";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { GitBranch, UserRound, X } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { call } from "../api/call.ts";
import { fetchAfter } from "../api/client.ts";
import { boardQuery, peopleQuery, projectsQuery } from "../api/queries.ts";
import { adoptCard, toldSoFar } from "../api/told.ts";
import { Avatar } from "../ui/avatar.tsx";
import { IconButton } from "../ui/button.tsx";
import { Choice, type Option } from "../ui/choice.tsx";
import { Time } from "../ui/time.tsx";
import { tellFailed } from "../ui/toasts.tsx";
import { type Priority, PriorityMark, priorityLabels } from "./priority.tsx";
import { useChangeTicket } from "./use-change-ticket.ts";

const nobody = "nobody";
const priorities = (Object.keys(priorityLabels) as Priority[]).map((value) => ({
  value,
  label: priorityLabels[value],
  mark: <PriorityMark key={value} priority={value} />,
}));

/** What is known of a ticket besides its text, each edited where it stands. */
export function TicketFields({ ticket }: { ticket: TicketDetails }) {
  const { mutate: change } = useChangeTicket(ticket.id);
  const { data: people = [] } = useQuery(peopleQuery);
  const { data: projects = [] } = useQuery(projectsQuery);
  const project = projects.find(({ id }) => id === ticket.project.id);
  const repositories = project?.repositories ?? [];
  const assignees = assigneeOptions(people, ticket.assignee);
  return (
    <dl className="flex flex-col gap-3">
      <Place ticket={ticket} boards={project?.boards ?? []} />
      <Field name="Priority">
        <Choice
          quiet
          label="Priority"
          options={priorities}
          value={ticket.priority}
          onChange={(priority) => change({ priority })}
          className="w-full"
        />
      </Field>
      <Field name="Assignee">
        <Choice
          quiet
          label="Assignee"
          options={assignees}
          value={ticket.assignee?.id ?? nobody}
          onChange={(id) => change({ assigneeUserId: id === nobody ? null : id })}
          className="w-full"
        />
        {ticket.run && <RunState run={ticket.run} />}
      </Field>
      {repositories.length > 0 && (
        <Field name="Repository">
          <Choice
            quiet
            label="Repository"
            options={[
              { value: nobody, label: "None" },
              ...repositories.map(({ id, name }) => ({
                value: id,
                label: name,
                mark: <GitBranch aria-hidden className="size-4 shrink-0 text-muted" />,
              })),
            ]}
            value={ticket.agentRepositoryId ?? nobody}
            onChange={(id) => change({ agentRepositoryId: id === nobody ? null : id })}
            className="w-full"
          />
        </Field>
      )}
      <Field name="Starts">
        <DateField label="Starts" value={ticket.startsAt} save={(startsAt) => change({ startsAt })} />
      </Field>
      <Field name="Due">
        <DateField label="Due" value={ticket.dueAt} save={(dueAt) => change({ dueAt })} />
      </Field>
    </dl>
  );
}

function Field({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="px-2 text-xs font-medium text-muted">{name}</dt>
      <dd className="mt-0.5">{children}</dd>
    </div>
  );
}

type Person = NonNullable<TicketDetails["assignee"]>;

/** Everybody who can be assigned, and who is, also after leaving. */
function assigneeOptions(people: Person[], assignee: Person | null): Option<string>[] {
  const all = assignee && !people.some(({ id }) => id === assignee.id) ? [...people, assignee] : people;
  return [
    { value: nobody, label: "Nobody", mark: <UserRound aria-hidden className="mx-0.5 size-4 shrink-0 text-muted" /> },
    ...all.map(({ id, name, isAgent }) => ({
      value: id,
      label: name,
      mark: <Avatar small name={name} isAgent={isAgent} />,
    })),
  ];
}

const runStates: Record<string, string> = {
  queued: "The agent will start on it soon.",
  held: "The agent waits: the organisation has no credits left.",
};

function RunState({ run }: { run: NonNullable<TicketDetails["run"]> }) {
  return (
    <p className="px-2 text-xs text-muted">
      {runStates[run.state] ?? `Agent: ${run.state}.`} Assigned <Time at={run.createdAt} />.
    </p>
  );
}

/** The column that the card lies in, and the board where the project has several. */
function Place({ ticket, boards }: { ticket: TicketDetails; boards: BoardSummary[] }) {
  const queryClient = useQueryClient();
  const board = useQuery(boardQuery(ticket.board.id, {}));
  const move = useMutation({
    mutationFn: async (columnId: string) => {
      const sent = toldSoFar();
      const body = { columnId, belowTicketId: null };
      return { sent, card: await call(moveTicket, { params: { ticketId: ticket.id }, body }) };
    },
    onError: (error) => tellFailed("The card was not moved", error),
    onSuccess: ({ sent, card }) => {
      const changed = {
        kind: "ticket.changed",
        ticketId: ticket.id,
        boardId: ticket.board.id,
        columnId: ticket.columnId,
      } as const;
      adoptCard(queryClient, card, changed, sent);
      return fetchAfter(changed);
    },
  });
  const columns = board.data?.columns ?? [ticket.column];
  const moveToBoard = async (boardId: string) => {
    try {
      const { columns: theirs } = await queryClient.fetchQuery(boardQuery(boardId, {}));
      if (theirs[0]) move.mutate(theirs[0].id);
    } catch (error) {
      tellFailed("The card was not moved", error);
    }
  };
  return (
    <>
      {boards.length > 1 && (
        <Field name="Board">
          <Choice
            quiet
            label="Board"
            options={boards.map(({ id, name }) => ({ value: id, label: name }))}
            value={ticket.board.id}
            onChange={(boardId) => boardId !== ticket.board.id && void moveToBoard(boardId)}
            className="w-full"
          />
        </Field>
      )}
      <Field name="Column">
        <Choice
          quiet
          label="Column"
          options={columns.map(({ id, name }) => ({ value: id, label: name }))}
          value={move.isPending && columns.some(({ id }) => id === move.variables) ? move.variables : ticket.column.id}
          onChange={(columnId) => columnId !== ticket.column.id && move.mutate(columnId)}
          className="w-full"
        />
      </Field>
    </>
  );
}

/** A day, saved once it is a whole one and the person is done with it. */
function DateField({
  label,
  value,
  save,
}: {
  label: string;
  value: string | null;
  save: (value: NonNullable<ChangeTicket["dueAt"]> | null) => void;
}) {
  const [date, setDate] = useState(value ?? "");
  useEffect(() => setDate(value ?? ""), [value]);
  const done = () => {
    if (date !== (value ?? "")) save(date || null);
  };
  return (
    <div className="flex items-center gap-1">
      <input
        type="date"
        aria-label={label}
        min="0001-01-01"
        max="9999-12-31"
        value={date}
        onChange={(event) => setDate(event.target.value)}
        onBlur={done}
        onKeyDown={(event) => event.key === "Enter" && done()}
        className="h-8 w-full min-w-0 rounded-md bg-transparent px-2 text-base hover:bg-hover"
      />
      {value && (
        <IconButton label={`Clear ${label.toLowerCase()}`} className="size-7" onClick={() => save(null)}>
          <X aria-hidden className="size-4" />
        </IconButton>
      )}
    </div>
  );
}
