import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import {
  AppWindow,
  Bell,
  Bot,
  FolderKanban,
  Inbox,
  ListFilter,
  ListTodo,
  MessagesSquare,
  Settings,
  SquareKanban,
  UserRound,
} from "lucide-react";
import { boardViewsQuery, projectsQuery } from "../../api/queries.ts";
import { settingsFor } from "../../session/settings-sections.ts";
import { useSession } from "../../session/use-session.ts";
import { type Entry, sign } from "./entry.tsx";

const pages = [
  { to: "/work", label: "My work", icon: ListTodo },
  { to: "/inbox", label: "Notifications", icon: Bell },
  { to: "/profile", label: "Profile", icon: UserRound },
  { to: "/reports", label: "Reports", icon: Inbox },
  { to: "/threads", label: "Conversations", icon: MessagesSquare },
  { to: "/runs", label: "Agent", icon: Bot },
  { to: "/projects", label: "Projects and boards", icon: FolderKanban },
  { to: "/apps", label: "Apps", icon: AppWindow },
] as const;

/** The boards, views and pages that can be opened. */
export function usePlaces(): Entry[] {
  const { navigate } = useRouter();
  const { organisation } = useSession();
  const { data: projects = [] } = useQuery(projectsQuery);
  const { data: saved } = useQuery(boardViewsQuery);
  const boards = projects.flatMap((project) => project.boards.map((board) => ({ ...board, project })));
  const settings = settingsFor(organisation.role).map(({ to, label }) => ({
    to,
    label: `Settings: ${label}`,
    icon: Settings,
  }));
  return [
    ...boards.map(
      ({ id: boardId, name, project }): Entry => ({
        id: boardId,
        group: "Go to",
        label: name,
        hint: project.name,
        mark: sign(SquareKanban),
        does: { act: () => void navigate({ to: "/boards/$boardId", params: { boardId } }) },
      }),
    ),
    ...(saved?.views ?? []).map(({ id, boardId, name, filter: search }): Entry => {
      const board = boards.find((each) => each.id === boardId);
      return {
        id,
        group: "Go to",
        label: name,
        hint: board && `View of ${board.name}`,
        mark: sign(ListFilter),
        does: { act: () => void navigate({ to: "/boards/$boardId", params: { boardId }, search }) },
      };
    }),
    ...[...pages, ...settings].map(
      ({ to, label, icon }): Entry => ({
        id: to,
        group: "Go to",
        label,
        mark: sign(icon),
        does: { act: () => void navigate({ to }) },
      }),
    ),
  ];
}
