import type { BoardSummary } from "@lodge/contract/dashboard/boards";
import type { TicketDetails } from "@lodge/contract/dashboard/tickets";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Columns3, GitBranch, SquareKanban, UserRound } from "lucide-react";
import { isRefused } from "../../api/call.ts";
import { boardQuery, peopleQuery, projectsQuery } from "../../api/queries.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Choice, type Option } from "../../ui/choice.tsx";
import { formatDay, Time, today } from "../../ui/time.tsx";
import { tellFailed } from "../../ui/toasts.tsx";
import type { Priority } from "../palette.ts";
import { RunPanel } from "../runs/run-panel.tsx";
import { DateChip } from "./date-chip.tsx";
import { Labels } from "./labels.tsx";
import { PriorityMark, priorityLabels } from "./priority.tsx";
import { useMoveTicket } from "./use-move-ticket.ts";
import { useChangeTicket } from "./use-ticket.ts";

const nobody = "nobody";
const markClass = "size-4 shrink-0 text-muted";
const priorities = (Object.keys(priorityLabels) as Priority[]).map((value) => ({
  value,
  label: priorityLabels[value],
  mark: <PriorityMark key={value} priority={value} />,
}));

/** The fields of a ticket as chips that are edited in place. */
export function TicketFields({ ticket }: { ticket: TicketDetails }) {
  const { mutate: change } = useChangeTicket(ticket.id, {
    refused: (error) => {
      if (!isRefused(error, "invalid_date_range")) return false;
      tellFailed("Could not save the date: a card cannot start after its due date");
      return true;
    },
  });
  const { data: people = [] } = useQuery(peopleQuery);
  const { data: projects = [] } = useQuery(projectsQuery);
  const project = projects.find(({ id }) => id === ticket.project.id);
  const repositories = project?.repositories ?? [];
  const { startsAt, dueAt } = ticket;
  return (
    <section aria-label="Fields" className="flex flex-col gap-1.5 px-2">
      <div className="flex flex-wrap items-start gap-1.5">
        <Place ticket={ticket} boards={project?.boards ?? []} />
        <Choice
          chip
          id="ticket-priority"
          shortcut="p"
          label="Priority"
          options={priorities}
          value={ticket.priority}
          onChange={(priority) => change({ priority })}
        />
        <Choice
          chip
          id="ticket-assignee"
          shortcut="a"
          label="Assignee"
          options={assigneeOptions(people, ticket.assignee)}
          value={ticket.assignee?.id ?? nobody}
          onChange={(id) => change({ assigneeUserId: id === nobody ? null : id })}
        />
        {repositories.length > 0 && (
          <Choice
            chip
            label="Repository"
            options={[
              {
                value: nobody,
                label: "No repository",
                mark: <GitBranch aria-hidden className={markClass} />,
              },
              ...repositories.map(({ id, name }) => ({
                value: id,
                label: name,
                mark: <GitBranch aria-hidden className={markClass} />,
              })),
            ]}
            value={ticket.agentRepositoryId ?? nobody}
            onChange={(id) => change({ agentRepositoryId: id === nobody ? null : id })}
          />
        )}
        <DateChip
          label="Starts"
          name="start date"
          value={startsAt}
          refuse={(date) =>
            dueAt !== null && date > dueAt ? `A card cannot start after its due date, ${formatDay(dueAt)}.` : undefined
          }
          save={(date) => change({ startsAt: date })}
        />
        <DateChip
          label="Due"
          name="due date"
          value={dueAt}
          refuse={(date) =>
            startsAt !== null && date < startsAt
              ? `A card cannot be due before its start date, ${formatDay(startsAt)}.`
              : undefined
          }
          save={(date) => change({ dueAt: date })}
          overdue={dueAt !== null && dueAt < today()}
        />
        <Labels id="ticket-labels" labels={ticket.labels} save={(labels) => change({ labels })} />
      </div>
      {ticket.problem !== null && <Problem ticket={ticket} />}
      {ticket.run && <RunPanel run={ticket.run} ticketId={ticket.id} />}
    </section>
  );
}

type Person = NonNullable<TicketDetails["assignee"]>;

/** Everyone who can be assigned, and the assignee even if they have left. */
function assigneeOptions(people: Person[], assignee: Person | null): Option<string>[] {
  const all = assignee && !people.some(({ id }) => id === assignee.id) ? [...people, assignee] : people;
  return [
    { value: nobody, label: "Nobody", mark: <UserRound aria-hidden className={markClass} /> },
    ...all.map(({ id, name, isAgent }) => ({
      value: id,
      label: name,
      mark: <Avatar small name={name} isAgent={isAgent} />,
      ...(isAgent && id !== assignee?.id && { hint: "uses 1 credit" }),
    })),
  ];
}

/** The problem that a card is about: how often and when it was reported, and the earlier card about it. */
function Problem({ ticket }: { ticket: TicketDetails }) {
  const { problem, occurrences, lastOccurredAt, previousTicketId } = ticket;
  return (
    <p className="text-xs text-muted wrap-anywhere">
      About <span className="font-medium text-ink">{problem}</span>:{" "}
      {occurrences === 1 ? "reported once" : `reported ${occurrences.toLocaleString()} times`}
      {lastOccurredAt && (
        <>
          , last <Time at={lastOccurredAt} />
        </>
      )}
      .{" "}
      {previousTicketId && (
        <Link
          to="/tickets/$ticketId"
          params={{ ticketId: previousTicketId }}
          className="text-accent-ink underline underline-offset-2"
        >
          Earlier card
        </Link>
      )}
    </p>
  );
}

/** The column of the card, and its board if the project has several. */
function Place({ ticket, boards }: { ticket: TicketDetails; boards: BoardSummary[] }) {
  const queryClient = useQueryClient();
  const board = useQuery(boardQuery(ticket.board.id, {}));
  const columns = board.data?.columns ?? [ticket.column];
  const move = useMoveTicket(ticket, columns);
  const moveToBoard = async (boardId: string) => {
    try {
      const { columns: theirs } = await queryClient.fetchQuery(boardQuery(boardId, {}));
      if (theirs[0]) move.mutate(theirs[0].id);
    } catch (error) {
      tellFailed("Could not move the card", error);
    }
  };
  return (
    <>
      {boards.length > 1 && (
        <Choice
          chip
          label="Board"
          options={boards.map(({ id, name }) => ({
            value: id,
            label: name,
            mark: <SquareKanban aria-hidden className={markClass} />,
          }))}
          value={ticket.board.id}
          onChange={(boardId) => boardId !== ticket.board.id && void moveToBoard(boardId)}
        />
      )}
      <Choice
        chip
        id="ticket-column"
        shortcut="m"
        label="Column"
        options={columns.map(({ id, name }) => ({
          value: id,
          label: name,
          mark: <Columns3 aria-hidden className={markClass} />,
        }))}
        value={move.isPending && columns.some(({ id }) => id === move.variables) ? move.variables : ticket.column.id}
        onChange={(columnId) => columnId !== ticket.column.id && move.mutate(columnId)}
      />
    </>
  );
}
