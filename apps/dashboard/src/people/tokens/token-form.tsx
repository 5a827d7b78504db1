import type { Project } from "@lodge/contract/dashboard/boards";
import type { CreateApiToken } from "@lodge/contract/dashboard/tokens";
import { nameLengthMax, runsPerDayMax } from "@lodge/contract/limits";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormError } from "../../ui/notice.tsx";
import { grantable, type Permission, permissionLabels } from "./permission-labels.ts";

const choiceClass = "flex items-start gap-2.5 py-1";
const boxClass = "mt-0.5 size-4 shrink-0 accent-accent";

/** The form for name, access and permissions of a token. If it is `inUse`, warns about what a change breaks. */
export function TokenForm({
  before,
  inUse = false,
  projects,
  submit,
  busy,
  error,
  save,
  close,
}: {
  before: CreateApiToken;
  inUse?: boolean;
  projects: Project[];
  submit: string;
  busy: boolean;
  error: unknown;
  save: (token: CreateApiToken) => void;
  close: () => void;
}) {
  const id = useId();
  const [name, setName] = useState(before.name);
  const [scope, setScope] = useState<"all" | "chosen">(before.scope === "all" ? "all" : "chosen");
  const [chosen, setChosen] = useState<string[]>(before.scope === "all" ? [] : before.scope);
  const [permissions, setPermissions] = useState<Permission[]>(before.permissions);
  const [runsPerDay, setRunsPerDay] = useState(before.runsPerDay?.toString() ?? "");
  const [problem, setProblem] = useState<string>();
  const widened =
    inUse && reach(before.scope, projects).length === 1 && reach(scope === "all" ? "all" : chosen, projects).length > 1;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (scope === "chosen" && chosen.length === 0) return setProblem("Choose at least one project.");
    if (permissions.length === 0) return setProblem("Choose at least one permission.");
    setProblem(undefined);
    save({
      name: name.trim(),
      scope: scope === "all" ? "all" : chosen,
      permissions,
      runsPerDay: runsPerDay === "" ? null : Number(runsPerDay),
    });
  };
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-5">
      <TextField
        label="Name"
        hint={`Shown as the author of the cards that it files. ${[...name].length} of ${nameLengthMax} characters.`}
        placeholder="Nightly build"
        required
        pattern=".*\S.*"
        lengthMax={nameLengthMax}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Choices legend="Access">
        <label className={choiceClass}>
          <input
            type="radio"
            name={`${id}-scope`}
            checked={scope === "all"}
            onChange={() => setScope("all")}
            className={boxClass}
          />
          <span>
            All projects
            <span className="block text-xs text-muted">Including projects created later.</span>
          </span>
        </label>
        <label className={choiceClass}>
          <input
            type="radio"
            name={`${id}-scope`}
            checked={scope === "chosen"}
            onChange={() => setScope("chosen")}
            className={boxClass}
          />
          <span>
            Chosen projects
            <span className="block text-xs text-muted">All other projects are invisible to it.</span>
          </span>
        </label>
        {scope === "chosen" && (
          <fieldset className="mt-1 ml-6.5 max-h-44 overflow-y-auto rounded-md border border-line px-3 py-1">
            <legend className="sr-only">Projects</legend>
            {projects.map((project) => (
              <label key={project.id} className={choiceClass}>
                <input
                  type="checkbox"
                  checked={chosen.includes(project.id)}
                  onChange={() => setChosen(toggled(chosen, project.id))}
                  className={boxClass}
                />
                <span className="wrap-anywhere">{project.name}</span>
              </label>
            ))}
            {projects.length === 0 && <p className="py-1 text-muted">No projects yet.</p>}
          </fieldset>
        )}
      </Choices>
      <Choices legend="Permissions">
        {grantable(before.permissions).map((permission) => (
          <label key={permission} className={choiceClass}>
            <input
              type="checkbox"
              checked={permissions.includes(permission)}
              onChange={() => setPermissions(toggled(permissions, permission))}
              className={boxClass}
            />
            <span>
              {permissionLabels[permission]} <code className="font-mono text-xs text-muted">{permission}</code>
            </span>
          </label>
        ))}
      </Choices>
      {permissions.includes("tickets:write") && (
        <TextField
          label="Agent runs per day"
          hint="Further runs wait for the next day (UTC) or for an admin. Leave empty for no limit."
          type="number"
          min={0}
          max={runsPerDayMax}
          step={1}
          value={runsPerDay}
          onChange={(event) => setRunsPerDay(event.target.value)}
        />
      )}
      {widened && (
        <p role="status" className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn-ink">
          The token will have access to more than one project, so each request must include a projectId. Lodge refuses
          requests without one. Add{" "}
          <code className="font-mono text-xs wrap-anywhere">"projectId": "{reach(before.scope, projects)[0]}"</code> to
          keep filing into the same project.
        </p>
      )}
      {problem && (
        <p role="alert" className="text-sm text-danger-ink">
          {problem}
        </p>
      )}
      <FormError error={error} />
      <div className="flex justify-end gap-2">
        <Button onClick={close}>Cancel</Button>
        <Button type="submit" look="primary" busy={busy}>
          {submit}
        </Button>
      </div>
    </form>
  );
}

function Choices({ legend, children }: { legend: string; children: ReactNode }) {
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{legend}</legend>
      {children}
    </fieldset>
  );
}

const reach = (scope: CreateApiToken["scope"], projects: Project[]): string[] =>
  scope === "all" ? projects.map(({ id }) => id) : scope;

const toggled = <Item,>(items: Item[], item: Item): Item[] =>
  items.includes(item) ? items.filter((other) => other !== item) : [...items, item];
