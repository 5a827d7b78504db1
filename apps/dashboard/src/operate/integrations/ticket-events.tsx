import type { HookList, TicketType } from "@lodge/contract/dashboard/hooks";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { projectsQuery } from "../../api/queries.ts";

export type Hook = HookList["hooks"][number];
/** The ticket events that a webhook can receive. */
export type Chosen = Pick<Hook, "ticketTypes" | "projectIds">;

export const typeLabels: Record<TicketType, string> = {
  "ticket.created": "Created",
  "ticket.changed": "Changed",
  "ticket.moved": "Moved",
  "ticket.commented": "Commented on",
  "ticket.done": "Done",
  "ticket.archived": "Archived",
};

const ticketTypes = Object.keys(typeLabels) as TicketType[];

const choiceClass = "flex items-start gap-2.5 py-1";
const boxClass = "mt-0.5 size-4 shrink-0 accent-accent";

/** The fields that choose the ticket events of a webhook and their projects. */
export function TicketEvents({ value, onChange }: { value: Chosen; onChange: (value: Chosen) => void }) {
  const id = useId();
  const { data: projects = [] } = useQuery(projectsQuery);
  const { ticketTypes: types, projectIds } = value;
  return (
    <>
      <fieldset>
        <legend className="mb-1 text-sm font-medium">Ticket events</legend>
        <div className="grid grid-cols-1 gap-x-4 sm:grid-cols-2">
          {ticketTypes.map((type) => (
            <label key={type} className={choiceClass}>
              <input
                type="checkbox"
                checked={types.includes(type)}
                onChange={() => onChange({ ...value, ticketTypes: toggled(types, type) })}
                className={boxClass}
              />
              <span>
                {typeLabels[type]} <code className="block text-xs text-muted">{type}</code>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      {types.length > 0 && (
        <fieldset>
          <legend className="mb-1 text-sm font-medium">Projects</legend>
          <label className={choiceClass}>
            <input
              type="radio"
              name={id}
              checked={projectIds === null}
              onChange={() => onChange({ ...value, projectIds: null })}
              className={boxClass}
            />
            All projects, including new ones
          </label>
          <label className={choiceClass}>
            <input
              type="radio"
              name={id}
              checked={projectIds !== null}
              onChange={() => onChange({ ...value, projectIds: [] })}
              className={boxClass}
            />
            Chosen projects
          </label>
          {projectIds && (
            <div className="mt-1 ml-6.5 max-h-44 overflow-y-auto rounded-md border border-line px-3 py-1">
              {projects.map((project) => (
                <label key={project.id} className={choiceClass}>
                  <input
                    type="checkbox"
                    checked={projectIds.includes(project.id)}
                    onChange={() => onChange({ ...value, projectIds: toggled(projectIds, project.id) })}
                    className={boxClass}
                  />
                  <span className="wrap-anywhere">{project.name}</span>
                </label>
              ))}
            </div>
          )}
        </fieldset>
      )}
    </>
  );
}

const toggled = <T,>(list: readonly T[], item: T): T[] =>
  list.includes(item) ? list.filter((other) => other !== item) : [...list, item];

/** Whether a choice can be saved. */
export const isComplete = ({ projectIds }: Chosen): boolean => projectIds === null || projectIds.length > 0;
