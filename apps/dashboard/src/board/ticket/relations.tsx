import { relateTickets, removeRelation } from "@lodge/contract/calls.generated";
import type { RelatedCard, RelateTickets } from "@lodge/contract/dashboard/relations";
import type { RelationKind } from "@lodge/contract/dashboard/tickets";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link2, X } from "lucide-react";
import { lazy, Suspense, useRef, useState } from "react";
import { call } from "../../api/call.ts";
import { queryClient } from "../../api/client.ts";
import { keepLoading } from "../../api/keep-loading.ts";
import { commentsQuery, ticketQuery } from "../../api/queries.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { keepFocusAt } from "../../ui/keep-focus.ts";
import { DropMenu, MenuItem } from "../../ui/menu.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { tellDone, tellFailed } from "../../ui/toasts.tsx";
import { shownTitle } from "../../ui/visible-text.ts";
import { CardLink, stateOf } from "./card-link.tsx";
import { relationsQuery } from "./card-states.ts";

const RelationPicker = lazy(() =>
  keepLoading(() => import("./relation-picker.tsx")).then((picker) => ({ default: picker.RelationPicker })),
);

const labels: Record<RelationKind, string> = {
  duplicateOf: "Duplicate of",
  hasDuplicate: "Duplicates",
  blockedBy: "Blocked by",
  blocks: "Blocks",
  relatesTo: "Relates to",
};
const kinds = Object.keys(labels) as RelationKind[];
/** The kinds of relation that can be added from this card. */
const made = kinds.filter((kind): kind is RelateTickets["kind"] => kind !== "hasDuplicate");

/** The related cards of a card, with buttons that add and remove relations. */
export function Relations({ ticketId }: { ticketId: string }) {
  const found = useQuery(relationsQuery(ticketId));
  const { relate, remove } = useRelations(ticketId);
  const [picking, setPicking] = useState<RelateTickets["kind"]>();
  const button = useRef<HTMLButtonElement>(null);
  const all = found.data?.relations;
  return (
    <section aria-label="Relations" className="flex flex-col gap-1.5 px-2">
      <div className="flex items-center justify-between gap-2">
        <h2 className="text-sm font-semibold">Relations</h2>
        <DropMenu
          trigger={
            <Button ref={button} id="add-relation" small look="quiet">
              <Link2 aria-hidden className="size-3.5" />
              Add relation
            </Button>
          }
        >
          {made.map((kind) => (
            <MenuItem key={kind} onClick={() => setPicking(kind)}>
              {labels[kind]}…
            </MenuItem>
          ))}
        </DropMenu>
      </div>
      {found.isError && !all && <LoadError error={found.error} retry={() => void found.refetch()} />}
      {all?.length === 0 && (
        <p className="text-sm text-muted">
          No relations. Cards that block, duplicate or relate to this card appear here.
        </p>
      )}
      {kinds.map((kind) => {
        const cards = all?.flatMap((relation) => (relation.kind === kind ? relation.card : [])) ?? [];
        if (cards.length === 0) return null;
        return (
          <div key={kind}>
            <h3 className="mb-0.5 text-xs font-medium text-muted">{labels[kind]}</h3>
            {/* biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list */}
            <ul role="list" aria-label={labels[kind]} className="divide-y divide-line rounded-md border border-line">
              {cards.map((card) => (
                <Row
                  key={card.id}
                  card={card}
                  remove={() => remove.mutate({ kind, card }, { onSettled: () => keepFocusAt("#add-relation") })}
                />
              ))}
            </ul>
          </div>
        );
      })}
      {picking && button.current && (
        <Suspense>
          <RelationPicker
            label={labels[picking]}
            anchor={button.current}
            byKeys
            without={new Set([ticketId, ...(all ?? []).map(({ card }) => card.id)])}
            take={(card) => relate.mutate({ kind: picking, card })}
            close={() => setPicking(undefined)}
          />
        </Suspense>
      )}
    </section>
  );
}

function Row({ card, remove }: { card: RelatedCard; remove: () => void }) {
  const state = stateOf(card);
  return (
    <li className="flex items-center gap-2 py-1 pr-1 pl-3">
      <p dir="auto" className="min-w-0 flex-1 wrap-anywhere">
        <CardLink card={card}>{nameOf(card)}</CardLink>
      </p>
      {state && (
        <span aria-hidden className="shrink-0 rounded-sm bg-sunken px-1.5 text-xs text-muted">
          {state}
        </span>
      )}
      <IconButton label={`Remove the relation to ${card.number ?? shownTitle(card.title)}`} onClick={remove}>
        <X aria-hidden className="size-4" />
      </IconButton>
    </li>
  );
}

const nameOf = ({ number, title }: Pick<RelatedCard, "number" | "title">) =>
  number ? `${number} ${shownTitle(title)}` : shownTitle(title);

type Related = { kind: RelationKind; card: Pick<RelatedCard, "id" | "number" | "title"> };

/** Adds and removes relations of a card, each with an undo. */
function useRelations(ticketId: string) {
  const relate = useMutation({
    mutationFn: (related: Related) => makeRelation(ticketId, related),
    onSuccess: (_, related) => {
      tellDone(`${madeInWords[related.kind]} ${related.card.number ?? "the card"}`, () =>
        undo(ticketId, () => takeRelation(ticketId, related)),
      );
    },
    onError: (error) => tellFailed("Could not add the relation", error),
    onSettled: () => reload(ticketId),
  });
  const remove = useMutation({
    mutationFn: (related: Related) => takeRelation(ticketId, related),
    onSuccess: (_, related) => {
      tellDone(related.kind === "duplicateOf" ? "No longer a duplicate" : "Relation removed", () =>
        undo(ticketId, () => makeRelation(ticketId, related)),
      );
    },
    onError: (error) => tellFailed("Could not remove the relation", error),
    onSettled: () => reload(ticketId),
  });
  return { relate, remove };
}

const madeInWords: Record<RelationKind, string> = {
  duplicateOf: "Closed as a duplicate of",
  hasDuplicate: "Duplicated by",
  blockedBy: "Blocked by",
  blocks: "Blocks",
  relatesTo: "Related to",
};

const makeRelation = (ticketId: string, { kind, card }: Related) =>
  kind === "hasDuplicate"
    ? call(relateTickets, { params: { ticketId: card.id }, body: { kind: "duplicateOf", otherId: ticketId } })
    : call(relateTickets, { params: { ticketId }, body: { kind, otherId: card.id } });

const takeRelation = (ticketId: string, { card }: Related) =>
  call(removeRelation, { params: { ticketId, otherId: card.id } });

async function undo(ticketId: string, send: () => Promise<unknown>) {
  try {
    await send();
    tellDone("Undone");
  } catch (error) {
    tellFailed("Could not undo", error);
  }
  await reload(ticketId);
}

/** Refetches what a relation changes on a card. Boards get their changes from the stream. */
const reload = (ticketId: string) =>
  Promise.all(
    [relationsQuery(ticketId), ticketQuery(ticketId), commentsQuery(ticketId)].map(({ queryKey }) =>
      queryClient.invalidateQueries({ queryKey }),
    ),
  );
