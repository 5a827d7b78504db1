import { changeBoard, changeProject, deleteBoard, deleteProject } from "@lodge/contract/calls.generated";
import type { BoardFigures, Project } from "@lodge/contract/dashboard/boards";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { GitBranch, Plus } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { boardFiguresQuery, peopleQuery, projectsQuery } from "../../api/queries.ts";
import { useSession } from "../../session/use-session.ts";
import { ApiDialog } from "../../ui/api-dialog.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty, LoadError } from "../../ui/notice.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { OrderedActions } from "../ordered-actions.tsx";
import { NewBoardDialog, NewProjectDialog } from "./new-dialogs.tsx";

/**
 * The projects of the organisation and their boards, which can be created, renamed, reordered, and deleted while empty.
 */
export function ProjectsPage() {
  const { organisation } = useSession();
  const projects = useQuery(projectsQuery);
  const [creating, setCreating] = useState(false);
  const manages = organisation.role !== "member";
  return (
    <main className="mx-auto max-w-3xl px-4 py-8 md:px-8">
      <PageHeading title="Projects and boards" hint="Each project has boards, and each board has columns of cards.">
        {manages && (
          <Button look="primary" onClick={() => setCreating(true)}>
            <Plus aria-hidden className="size-4" />
            New project
          </Button>
        )}
      </PageHeading>
      {projects.isPending && (
        <div aria-busy className="flex flex-col gap-6">
          <p className="sr-only">Loading the projects</p>
          <Skeleton className="h-32" />
          <Skeleton className="h-32" />
        </div>
      )}
      {projects.isError && !projects.data && <LoadError error={projects.error} retry={() => void projects.refetch()} />}
      {projects.data?.length === 0 && (
        <Empty title="No projects yet">
          {manages
            ? "Create the first project, then add a board to it. API tokens can be limited to chosen projects."
            : "Ask an owner or admin of the organisation to create the first one."}
        </Empty>
      )}
      <div className="flex flex-col gap-6">
        {projects.data?.map((project, index, all) => (
          <OneProject key={project.id} project={project} index={index} count={all.length} manages={manages} />
        ))}
      </div>
      {creating && <NewProjectDialog close={() => setCreating(false)} />}
    </main>
  );
}

function OneProject({
  project,
  index,
  count,
  manages,
}: {
  project: Project;
  index: number;
  count: number;
  manages: boolean;
}) {
  const [creating, setCreating] = useState(false);
  const [repository, setRepository] = useState<Project["repositories"][number]>();
  const { data: people = [] } = useQuery(peopleQuery);
  const { data: figures } = useQuery(boardFiguresQuery);
  const agent = people.find(({ isAgent }) => isAgent);
  const heading = `manage-${project.id}`;
  return (
    <section aria-labelledby={heading} className="rounded-lg border border-line bg-surface">
      <div className="flex items-center gap-1 border-b border-line py-1.5 pr-2 pl-3">
        <h2 id={heading} dir="auto" className="min-w-0 flex-1 truncate font-semibold">
          {project.name}
        </h2>
        <Button small look="quiet" onClick={() => setCreating(true)}>
          <Plus aria-hidden className="size-4" />
          New board
        </Button>
        {manages && (
          <OrderedActions
            what="project"
            name={project.name}
            change={(body) => call(changeProject, { params: { projectId: project.id }, body })}
            index={index}
            count={count}
            ids={{ projectId: project.id }}
            deletion={{
              says: "Its boards and its trash are deleted with it. Only a project without cards can be deleted.",
              remove: (query) => call(deleteProject, { params: { projectId: project.id }, query }),
            }}
          />
        )}
      </div>
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list */}
      <ul role="list" className="divide-y divide-line">
        {project.boards.map((board, boardIndex) => (
          <li key={board.id} className="flex items-center gap-1 py-1 pr-2 pl-3">
            <Link
              to="/boards/$boardId"
              params={{ boardId: board.id }}
              dir="auto"
              className="min-w-0 flex-1 truncate rounded-sm py-1 hover:underline"
            >
              {board.name}
            </Link>
            {figures && <Figures figures={figures.get(board.id)} />}
            <OrderedActions
              what="board"
              name={board.name}
              change={(body) => call(changeBoard, { params: { boardId: board.id }, body })}
              index={boardIndex}
              count={project.boards.length}
              ids={{ projectId: project.id, boardId: board.id }}
              deletion={{
                says: "Only a board without cards can be deleted.",
                remove: (query) => call(deleteBoard, { params: { boardId: board.id }, query }),
              }}
            />
          </li>
        ))}
      </ul>
      {project.boards.length === 0 && (
        <p className="px-3 py-2.5 text-muted">No boards yet. Create one to add cards to this project.</p>
      )}
      {project.repositories.length > 0 && (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3 py-2 text-sm text-muted">
          <span className="sr-only">Repositories:</span>
          {project.repositories.map((repository) => (
            <button
              key={repository.id}
              type="button"
              title={`Show the id of ${repository.url} for the API`}
              onClick={() => setRepository(repository)}
              className="inline-flex items-center gap-1.5 rounded-sm hover:text-ink hover:underline"
            >
              <GitBranch aria-hidden className="size-3.5" />
              {repository.name}
            </button>
          ))}
        </p>
      )}
      {repository && (
        <ApiDialog
          name={repository.name}
          field="agentRepositoryId"
          body={{
            projectId: project.id,
            ...(agent && { assigneeUserId: agent.id }),
            agentRepositoryId: repository.id,
          }}
          close={() => setRepository(undefined)}
        />
      )}
      {creating && <NewBoardDialog project={project} close={() => setCreating(false)} />}
    </section>
  );
}

/** The number of cards on a board, and its last activity. */
function Figures({ figures }: { figures: BoardFigures["boards"][number] | undefined }) {
  const { cardCount, openCardCount, lastActivityAt } = figures ?? {};
  if (!cardCount || !lastActivityAt) return <span className="shrink-0 text-sm text-muted">No cards</span>;
  return (
    <span className="flex shrink-0 flex-col items-end text-right text-xs text-muted tabular-nums sm:flex-row sm:gap-4 sm:text-sm">
      <span>
        {openCardCount === cardCount
          ? `${cardCount.toLocaleString()} open`
          : `${openCardCount?.toLocaleString()} of ${cardCount.toLocaleString()} open`}
      </span>
      <span className="sm:w-24">
        <span className="sr-only">Last activity </span>
        <Time at={lastActivityAt} />
      </span>
    </span>
  );
}
