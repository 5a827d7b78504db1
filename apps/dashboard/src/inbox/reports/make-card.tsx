import { viewBoard } from "@lodge/contract/calls.generated";
import type { ReportCard } from "@lodge/contract/dashboard/inbox";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ChevronDown, SquareKanban } from "lucide-react";
import { call } from "../../api/call.ts";
import { projectsQuery } from "../../api/queries.ts";
import { readLastBoard } from "../../board/board/last-board.ts";
import { useSession } from "../../session/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { DropMenu, MenuGroup, MenuItem } from "../../ui/menu.tsx";
import { tellFailed } from "../../ui/toasts.tsx";

/** The default board for a new card: the one that was last open, else the first. */
export function useCardBoard() {
  const { organisation } = useSession();
  const { data: projects = [] } = useQuery(projectsQuery);
  const boards = projects.flatMap((project) => project.boards);
  const last = readLastBoard(organisation.id);
  return { projects, boards, board: boards.find(({ id }) => id === last) ?? boards[0] };
}

/** The column of a board that gets the new card. */
export async function firstColumnOf(boardId: string): Promise<string> {
  const { columns } = await call(viewBoard, { params: { boardId } });
  return columns[0]?.id ?? ""; // a board has at least one column
}

/** Buttons that create a card on top of the first column of the last open board, or of another board, and open it. */
export function MakeCard({ make: makeIn }: { make: (columnId: string) => Promise<ReportCard> }) {
  const { projects, boards, board } = useCardBoard();
  const navigate = useNavigate();
  const make = useMutation({
    mutationFn: async (boardId: string) => makeIn(await firstColumnOf(boardId)),
    onSuccess: ({ ticketId }) => navigate({ to: "/tickets/$ticketId", params: { ticketId } }),
    onError: (error) => tellFailed("Could not create the card", error),
  });
  if (!board) return null;
  return (
    <div className="flex">
      <Button
        busy={make.isPending}
        aria-keyshortcuts="c"
        title={`Create card on ${board.name} (c)`}
        className={boards.length > 1 ? "rounded-r-none border-r-0" : ""}
        onClick={() => make.mutate(board.id)}
      >
        <SquareKanban aria-hidden className="size-4" />
        Create card
      </Button>
      {boards.length > 1 && (
        <DropMenu
          trigger={
            <Button busy={make.isPending} aria-label="Create card on another board" className="rounded-l-none px-1.5">
              <ChevronDown aria-hidden className="size-4" />
            </Button>
          }
        >
          {projects.map((project) => (
            <MenuGroup key={project.id} label={project.name}>
              {project.boards.map(({ id, name }) => (
                <MenuItem key={id} onClick={() => make.mutate(id)}>
                  <span className="truncate">{name}</span>
                </MenuItem>
              ))}
            </MenuGroup>
          ))}
        </DropMenu>
      )}
    </div>
  );
}
