import { useRouter } from "@tanstack/react-router";
import { Bug, FileText, StickyNote } from "lucide-react";
import { useSearch } from "../../api/use-search.ts";
import { kindLabels } from "../../inbox/report-kind.tsx";
import { shownTitle } from "../../ui/visible-text.ts";
import { type Entry, sign } from "./entry.tsx";

/**
 * The cards, problems and reports that match the text, fetched once typing pauses or ends. Until then, the previous
 * results.
 */
export function useFound(typed: string, over: boolean): { found: Entry[]; searching: boolean; failed: boolean } {
  const { navigate } = useRouter();
  const { found, searching, failed } = useSearch(typed, over);
  const cards = (found?.cards ?? []).map(
    ({ id, number, title, project, board, column, archived }): Entry => ({
      id,
      group: "Cards",
      label: number ? `${number} ${shownTitle(title)}` : shownTitle(title),
      hint: `${project.name} / ${board.name} / ${archived ? "archived" : column.name}`,
      mark: sign(StickyNote),
      does: { act: () => void navigate({ to: "/tickets/$ticketId", params: { ticketId: id } }) },
    }),
  );
  const problems = (found?.problems ?? []).map(
    ({ id, title, app }): Entry => ({
      id,
      group: "Problems",
      label: title,
      hint: app.name,
      mark: sign(Bug),
      does: { act: () => void navigate({ to: "/problems/$problemId", params: { problemId: id } }) },
    }),
  );
  const reports = (found?.reports ?? []).map(
    ({ id, kind, title, app }): Entry => ({
      id,
      group: "Reports",
      label: title,
      hint: `${kindLabels[kind]}, ${app.name}`,
      mark: sign(FileText),
      does: { act: () => void navigate({ to: "/events/$eventId", params: { eventId: id } }) },
    }),
  );
  return { found: [...cards, ...problems, ...reports], searching, failed };
}
