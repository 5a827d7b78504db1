import { listNumberedCards, listRelations } from "@lodge/contract/calls.generated";
import type { RelatedCard, RelationList } from "@lodge/contract/dashboard/relations";
import { lookedUpNumbersMax } from "@lodge/contract/limits";
import { type Query, queryOptions } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { queryClient } from "../../api/client.ts";
import type { Message } from "../../api/live.ts";
import { query, staleTimeWhileLive, unannouncedStaleMs } from "../../api/query.ts";

type Asked = PromiseWithResolvers<RelatedCard | null>;
const asked = new Map<string, Asked>();

/** The card with a number, or null. Numbers that are queried in the same moment share a request. */
export const numberedCardQuery = (number: string) =>
  queryOptions({
    queryKey: [listNumberedCards.id, number],
    queryFn: () => {
      if (asked.size === 0) setTimeout(askTogether);
      const answer = asked.get(number) ?? Promise.withResolvers();
      asked.set(number, answer);
      return answer.promise;
    },
    staleTime: ({ state }) => (state.data ? staleTimeWhileLive() : unannouncedStaleMs),
  });

function askTogether() {
  const all = [...asked];
  asked.clear();
  for (let start = 0; start < all.length; start += lookedUpNumbersMax) {
    void askFor(all.slice(start, start + lookedUpNumbersMax));
  }
}

async function askFor(some: [number: string, answer: Asked][]) {
  try {
    const { cards } = await call(listNumberedCards, { query: { numbers: some.map(([number]) => number).join() } });
    const found = new Map(cards.map((card) => [card.number, card]));
    for (const [number, { resolve }] of some) resolve(found.get(number) ?? null);
  } catch (error) {
    for (const [, { reject }] of some) reject(error);
  }
}

// Relations and links also become stale when a card other than the open one changes. This channel has the same name as
// that of `live.ts`, and receives the messages that other channel objects of the page send.
new BroadcastChannel("lodge").addEventListener("message", ({ data }: MessageEvent<Message>) => {
  if (data.kind !== "told" || !("card" in data.event)) return;
  const { kind, ticketId, card } = data.event;
  const isShown = ({ queryKey: [id, number], state }: Query) => {
    if (id === listNumberedCards.id) {
      return number === card?.number || (state.data as RelatedCard | null | undefined)?.id === ticketId;
    }
    if (id !== listRelations.id) return false;
    if (kind === "ticket.restored") return true; // restored from the trash: any relation may be affected
    return (
      (state.data as RelationList | undefined)?.relations.some((relation) => relation.card.id === ticketId) ?? false
    );
  };
  void queryClient.invalidateQueries({ predicate: isShown });
});

/** The relations of a card. */
export const relationsQuery = (ticketId: string) => query(listRelations, { params: { ticketId } });
