import { createBoard, createProject } from "@lodge/contract/calls.generated";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { projectsQuery, tokensQuery } from "../../api/queries.ts";
import { NameDialog } from "../../ui/name-dialog.tsx";

/** Creates a project, then shows the list of projects. Only for owners and admins. */
export function NewProjectDialog({ close }: { close: () => void }) {
  const { data: projects } = useQuery(projectsQuery);
  const navigate = useNavigate();
  return (
    <NameDialog
      title="New project"
      submit="Create project"
      act={async (name) => {
        await call(createProject, { body: { name } });
        await fetchAfter({ kind: "projects.changed" });
        await navigate({ to: "/projects" });
      }}
      close={close}
    >
      {projects?.length === 1 && <SecondProject />}
    </NameDialog>
  );
}

/** Creates a board in a project, then opens it. */
export function NewBoardDialog({ project, close }: { project: { id: string; name: string }; close: () => void }) {
  const navigate = useNavigate();
  return (
    <NameDialog
      title={`New board in ${project.name}`}
      submit="Create board"
      act={async (name) => {
        const { id: boardId } = await call(createBoard, { body: { projectId: project.id, name } });
        await fetchAfter({ kind: "projects.changed" });
        await navigate({ to: "/boards/$boardId", params: { boardId } });
      }}
      close={close}
    >
      <p className="text-sm text-muted">It starts with the columns To do, Doing and Done.</p>
    </NameDialog>
  );
}

/** Warns that tokens with access to all projects must name the project once there is a second one. */
function SecondProject() {
  const { data: tokens = [] } = useQuery(tokensQuery);
  const names = tokens.filter(({ scope }) => scope === "all").map(({ name }) => name);
  if (names.length === 0) return null;
  return (
    <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn-ink">
      Once there is a second project, requests with {names.length === 1 ? "the token" : "the tokens"} {names.join(", ")}{" "}
      must include a projectId. Lodge refuses requests without one.
    </p>
  );
}
