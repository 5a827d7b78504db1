import { labelLengthMax } from "@lodge/contract/limits";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Columns3, FolderKanban, Plus, SquareKanban, Tag, UserRound } from "lucide-react";
import { peopleQuery, projectsQuery } from "../../api/queries.ts";
import { creditsFor, labelsOfAll } from "../../board/board/act-on-cards.ts";
import { askForCard } from "../../board/board/acted-on.ts";
import type { CardTarget } from "../../board/board/use-card-target.ts";
import type { Priority } from "../../board/palette.ts";
import { NewBoardDialog } from "../../board/projects/new-dialogs.tsx";
import { useLabelNames } from "../../board/ticket/label-picker.tsx";
import { PriorityMark, priorityLabels } from "../../board/ticket/priority.tsx";
import { Avatar } from "../../ui/avatar.tsx";
import { tooLong } from "../../ui/length.ts";
import { isInvisible } from "../../ui/visible-text.ts";
import { type Entry, has, type ListName, sign } from "./entry.tsx";

/** The number of labels shown. Typing finds the others. */
const labelsShownMax = 100;

/** The title of each list. */
export const listTitles: Record<ListName, string> = {
  assign: "Assign to",
  prioritise: "Set priority",
  label: "Add label",
  move: "Move to",
  "card-on": "New card on",
  "board-in": "New board in",
};

/** The choices of a list that match the text and would change something. */
export function useList(list: ListName | undefined, target: CardTarget | undefined, typed: string): Entry[] {
  const places = useListOfPlaces();
  const { data: people = [] } = useQuery(peopleQuery);
  const labels = useLabels(list === "label", target, typed);
  if (list === undefined) return [];
  if (list === "card-on" || list === "board-in") return places[list].filter((entry) => has(entry, typed.toLowerCase()));
  if (!target) return [];
  if (list === "label") return labels;
  const choices = {
    assign: () => assignees(people, target),
    prioritise: () => priorities(target),
    move: () => columnsOf(target),
  };
  return choices[list]().filter((entry) => has(entry, typed.toLowerCase()));
}

type People = { id: string; name: string; isAgent: boolean }[];

const assignees = (people: People, { name: group, cards, act }: CardTarget): Entry[] => [
  ...(cards.some(({ assignee }) => assignee)
    ? [{ id: "nobody", group, label: "Nobody", mark: sign(UserRound), does: { act: () => act.assign(null) } }]
    : []),
  ...people
    .filter(({ id }) => cards.some(({ assignee }) => assignee?.id !== id))
    .map((person) => ({
      id: person.id,
      group,
      label: person.name,
      hint: person.isAgent ? `uses ${creditsFor(cards, person.id)}` : undefined,
      mark: <Avatar small name={person.name} isAgent={person.isAgent} />,
      does: { act: () => act.assign(person) },
    })),
];

const priorities = ({ name: group, cards, act }: CardTarget): Entry[] =>
  (Object.keys(priorityLabels) as Priority[])
    .reverse()
    .filter((priority) => cards.some((card) => card.priority !== priority))
    .map((priority) => ({
      id: priority,
      group,
      label: priorityLabels[priority],
      mark: <PriorityMark priority={priority} />,
      does: { act: () => act.prioritise(priority) },
    }));

const columnsOf = ({ name: group, cards, columns, act }: CardTarget): Entry[] =>
  columns
    .filter(({ id }) => cards.some(({ columnId }) => columnId !== id))
    .map((column) => ({
      id: column.id,
      group,
      label: column.name,
      mark: sign(Columns3),
      does: { act: () => act.move(column) },
    }));

function useLabels(enabled: boolean, target: CardTarget | undefined, typed: string): Entry[] {
  const names = useLabelNames(typed, [], enabled);
  if (!target) return [];
  const { name: group, cards, act } = target;
  const before = labelsOfAll(cards);
  const isNew = !isInvisible(typed) && !tooLong(typed, labelLengthMax) && ![...names, ...before].includes(typed);
  const entry = (name: string, label: string, mark: Entry["mark"]): Entry => ({
    id: `label-${name}`,
    group,
    label,
    mark,
    does: { act: () => act.label(name) },
  });
  return [
    ...names
      .filter((name) => !before.includes(name))
      .slice(0, labelsShownMax)
      .map((name) => entry(name, name, sign(Tag))),
    ...(isNew ? [entry(typed, `Create ${typed}`, sign(Plus))] : []),
  ];
}

function useListOfPlaces(): Record<"card-on" | "board-in", Entry[]> {
  const { data: projects = [] } = useQuery(projectsQuery);
  const navigate = useNavigate();
  return {
    "card-on": projects.flatMap(({ name: group, boards }) =>
      boards.map(({ id: boardId, name }) => ({
        id: boardId,
        group,
        label: name,
        mark: sign(SquareKanban),
        does: {
          act: () => {
            askForCard(boardId);
            void navigate({ to: "/boards/$boardId", params: { boardId } });
          },
        },
      })),
    ),
    "board-in": projects.map((project) => ({
      id: project.id,
      group: "Projects",
      label: project.name,
      mark: sign(FolderKanban),
      does: { dialog: (close) => <NewBoardDialog project={project} close={close} /> },
    })),
  };
}
