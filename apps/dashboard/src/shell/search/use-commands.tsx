import { useQuery } from "@tanstack/react-query";
import {
  Building2,
  FolderPlus,
  Keyboard,
  LogOut,
  Monitor,
  Moon,
  Plus,
  SquareKanban,
  Sun,
  UserPlus,
} from "lucide-react";
import { projectsQuery } from "../../api/queries.ts";
import { useActedBoard } from "../../board/board/acted-on.ts";
import { NewBoardDialog, NewProjectDialog } from "../../board/projects/new-dialogs.tsx";
import { InviteDialog } from "../../people/members/invite-dialog.tsx";
import { signOut } from "../../session/sign-out.ts";
import { useSession } from "../../session/use-session.ts";
import { showOverlay } from "../../ui/overlay.ts";
import { chooseTheme } from "../../ui/theme.ts";
import { type Entry, sign } from "./entry.tsx";

/** The global commands that the person can use. */
export function useCommands(): Entry[] {
  const { organisation } = useSession();
  const { data: projects = [] } = useQuery(projectsQuery);
  const shown = useActedBoard();
  const manages = organisation.role !== "member";
  const [project] = projects;
  const command = (
    id: string,
    label: string,
    icon: Parameters<typeof sign>[0],
    does: Entry["does"],
    shortcut?: string,
  ) => ({
    id,
    group: "Actions",
    label,
    shortcut,
    mark: sign(icon),
    does,
  });
  // On pages other than a board, C runs the closest action, such as creating a card from a problem.
  const withKey = shown ? undefined : document.querySelector<HTMLElement>("[aria-keyshortcuts=c]");
  const afterwards = (act: () => void) => ({ act: () => void requestAnimationFrame(act) });
  const newBoard: Entry["does"] =
    projects.length === 1 && project
      ? { dialog: (close) => <NewBoardDialog project={project} close={close} /> }
      : { list: "board-in" };
  return [
    ...(withKey
      ? [
          command(
            "key-c",
            withKey.textContent.trim(),
            Plus,
            afterwards(() => withKey.click()),
            "C",
          ),
        ]
      : []),
    ...(shown
      ? [command("new-card", "New card", Plus, afterwards(shown.write), "C")]
      : projects.some(({ boards }) => boards.length > 0)
        ? [command("new-card", "New card…", Plus, { list: "card-on" })]
        : []),
    ...(project ? [command("new-board", "New board…", SquareKanban, newBoard)] : []),
    ...(manages
      ? [
          command("new-project", "New project…", FolderPlus, { dialog: (close) => <NewProjectDialog close={close} /> }),
          command("invite", "Invite a member…", UserPlus, { dialog: (close) => <InviteDialog close={close} /> }),
        ]
      : []),
    command("new-organisation", "New organisation…", Building2, { act: () => showOverlay("organisation") }),
    command("keys", "Show keyboard shortcuts", Keyboard, { act: () => showOverlay("keys") }, "?"),
    command("light", "Light theme", Sun, { act: () => chooseTheme("light") }),
    command("dark", "Dark theme", Moon, { act: () => chooseTheme("dark") }),
    command("system", "System theme", Monitor, { act: () => chooseTheme("system") }),
    command("sign-out", "Sign out", LogOut, { act: () => void signOut() }),
  ];
}
