import { CallError, type Caller } from "@lodge/contract/call";
import { listReach } from "@lodge/contract/calls.generated";
import type { Reach } from "@lodge/contract/projects";
import type { Environment } from "./credentials.ts";
import { Failure } from "./failure.ts";

/** The place and the assignee of a ticket, by id, name or slug. */
export type Named = {
  project?: string | undefined;
  board?: string | undefined;
  column?: string | undefined;
  assignee?: string | undefined;
  repository?: string | undefined;
};

/** The same place and assignee as ids, as the ticket API takes them. */
export type Places = {
  projectId?: string;
  boardId?: string;
  columnId?: string;
  assigneeUserId?: string;
  agentRepositoryId?: string;
};

/** Adds the project and the board from the environment if the options have none. */
export function withDefaults<Options extends Named>(options: Options, env: Environment): Options {
  const { LODGE_PROJECT: project, LODGE_BOARD: board } = env;
  return {
    ...options,
    project: options.project ?? (project || undefined),
    // With --project, LODGE_BOARD may be a board of another project.
    board: options.board ?? (options.project === undefined ? board || undefined : undefined),
  };
}

const isId = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** Resolves names to ids; sends no request if all are ids. */
export async function resolveNames(call: Caller, named: Named): Promise<Places> {
  const { project, board, column, assignee, repository } = named;
  const given = [project, board, column, assignee, repository].filter((value) => value !== undefined);
  if (given.every(isId)) return placesOf(named);
  const reach = await call(listReach).catch((error: unknown) => {
    if (error instanceof CallError && error.code === "insufficient_scope") {
      throw new Failure(
        "refused",
        "insufficient_scope: The token needs the permission projects:read to look up names. Add it, or use ids.",
      );
    }
    throw error;
  });
  return findIn(reach, named);
}

const placesOf = ({ project, board, column, assignee, repository }: Named): Places => ({
  ...(project && { projectId: project }),
  ...(board && { boardId: board }),
  ...(column && { columnId: column }),
  ...(assignee && { assigneeUserId: assignee }),
  ...(repository && { agentRepositoryId: repository }),
});

function findIn({ projects, members }: Reach, named: Named): Places {
  const inProject = named.board ?? named.column ?? named.repository;
  const project = named.project
    ? find("project", projects, named.project, ({ name, slug }) => [slug, name])
    : inProject !== undefined
      ? only(projects)
      : undefined;
  const board = named.board && project ? find("board", project.boards, named.board) : undefined;
  const column =
    named.column && project ? find("column", (board ?? project.boards[0])?.columns ?? [], named.column) : undefined;
  const repository =
    named.repository && project ? find("repository", project.repositories, named.repository) : undefined;
  const assignee = !named.assignee
    ? undefined
    : named.assignee === "agent"
      ? members.find(({ kind }) => kind === "agent")
      : find("member", members, named.assignee);
  return {
    ...(project && { projectId: project.id }),
    ...(board && { boardId: board.id }),
    ...(column && { columnId: column.id }),
    ...(assignee && { assigneeUserId: assignee.id }),
    ...(repository && { agentRepositoryId: repository.id }),
  };
}

function only(projects: Reach["projects"]): Reach["projects"][number] {
  const [project, ...others] = projects;
  if (project && others.length === 0) return project;
  throw new Failure(
    "usage",
    project
      ? `The token has access to several projects. Choose one with --project: ${projects.map(({ slug }) => slug).join(", ")}`
      : "The token has no access to any project.",
  );
}

/** The item with this id or exact name, or else the name in any letter case. */
function find<Item extends { id: string; name: string }>(
  what: string,
  items: readonly Item[],
  wanted: string,
  namesOf: (item: Item) => string[] = ({ name }) => [name],
): Item {
  const lower = wanted.toLowerCase();
  const matches = [
    items.filter(({ id }) => id === lower),
    items.filter((item) => namesOf(item).includes(wanted)),
    items.filter((item) => namesOf(item).some((name) => name.toLowerCase() === lower)),
  ].find(({ length }) => length > 0);
  const [found, ...others] = matches ?? [];
  if (found && others.length === 0) return found;
  const listed = items.map((item) => namesOf(item)[0]).slice(0, 20);
  throw new Failure(
    "usage",
    found
      ? `There is more than one ${what} called "${wanted}". Choose one by its id: ${[found, ...others].map(({ id }) => id).join(", ")}`
      : `There is no ${what} called "${wanted}". Choose one of: ${listed.join(", ") || "none"}${items.length > 20 ? ", …" : ""}`,
  );
}
