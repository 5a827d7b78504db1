import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { projectsQuery } from "../api/queries.ts";
import { readLastBoard } from "../board/board/last-board.ts";
import { useSession } from "../session/use-session.ts";
import { buttonClass } from "../ui/button.tsx";
import { Empty, LoadError } from "../ui/notice.tsx";
import { PageHeading } from "../ui/page-heading.tsx";
import { Redirect } from "../ui/redirect.tsx";

/** Redirects to the last open board, or the first one. Without boards, shows how to create one. */
export function Home() {
  const { organisation } = useSession();
  const projects = useQuery(projectsQuery);
  if (projects.isError) return <LoadError error={projects.error} retry={() => void projects.refetch()} />;
  if (!projects.data) return null;
  const boards = projects.data.flatMap((project) => project.boards);
  const last = readLastBoard(organisation.id);
  const board = boards.find(({ id }) => id === last) ?? boards[0];
  if (board) return <Redirect from="/" to={`/boards/${board.id}`} />;
  const manages = organisation.role !== "member";
  return (
    <main className="mx-auto max-w-3xl px-4 py-8 md:px-8">
      <PageHeading title="Boards" />
      <Empty
        title={projects.data.length > 0 ? "No boards yet" : "No projects yet"}
        action={
          (manages || projects.data.length > 0) && (
            <Link to="/projects" className={buttonClass({ look: "primary" })}>
              {projects.data.length > 0 ? "Create a board" : "Create a project"}
            </Link>
          )
        }
      >
        A board shows the cards of a project in columns.{" "}
        {manages || projects.data.length > 0
          ? "Create one so that people and API tokens can file cards on it."
          : "Ask an owner or admin of the organisation to create one."}
      </Empty>
    </main>
  );
}
