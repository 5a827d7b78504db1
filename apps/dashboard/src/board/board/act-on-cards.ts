import type { Card, ColumnSummary } from "@lodge/contract/dashboard/boards";
import type { TicketChange } from "@lodge/contract/dashboard/tickets";
import { labelsMax } from "@lodge/contract/limits";
import type { Priority } from "../palette.ts";
import { inWords } from "../ticket/in-words.ts";

/** The actions on cards. Each shows a message with an undo. */
export type CardActs = {
  move: (column: Pick<ColumnSummary, "id" | "name">) => void;
  assign: (person: { id: string; name: string } | null) => void;
  prioritise: (priority: Priority) => void;
  /** Adds a label, or removes it if all of the cards have it. */
  label: (name: string) => void;
  archive: () => void;
};

/** The actions on several cards of a board, using `change`. Calls `end` afterwards. */
export function actOnCards(
  cards: readonly Card[],
  change: (changes: TicketChange[], done: string) => void,
  end: () => void,
): CardActs {
  const what = inWords(cards.length);
  const set = (fields: Omit<TicketChange, "ticketId">, done: string) => {
    change(
      cards.map(({ id: ticketId }) => ({ ticketId, ...fields })),
      done,
    );
    end();
  };
  return {
    move: ({ id, name }) => set({ columnId: id }, `${what} moved to ${name}`),
    assign: (person) =>
      set({ assigneeUserId: person?.id ?? null }, person ? `${what} assigned to ${person.name}` : `${what} unassigned`),
    prioritise: (priority) => set({ priority }, `Priority of ${what} changed`),
    label: (name) => {
      const wanting = cards.filter((card) => !card.labels.includes(name) && card.labels.length < labelsMax);
      if (labelsOfAll(cards).includes(name)) {
        change(
          cards.map((card) => ({ ticketId: card.id, labels: card.labels.filter((other) => other !== name) })),
          `Label ${name} removed from ${what}`,
        );
      } else if (wanting.length > 0) {
        change(
          wanting.map((card) => ({ ticketId: card.id, labels: [...card.labels, name] })),
          `${inWords(wanting.length)} labelled ${name}`,
        );
      }
      end();
    },
    archive: () => set({ archived: true }, `${what} archived`),
  };
}

/** The labels that all of the cards have. */
export const labelsOfAll = (cards: readonly Pick<Card, "labels">[]): string[] =>
  cards[0]?.labels.filter((name) => cards.every(({ labels }) => labels.includes(name))) ?? [];

/** The credits that assigning cards to the agent uses, as text: one per card that is not assigned to it yet. */
export function creditsFor(cards: readonly Pick<Card, "assignee">[], agentUserId: string): string {
  const count = cards.filter(({ assignee }) => assignee?.id !== agentUserId).length;
  return count === 1 ? "1 credit" : `${count} credits`;
}
