import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { isRefused } from "../../api/call.ts";
import { keepLoading } from "../../api/keep-loading.ts";
import { boardQuery, ticketPlaceQuery } from "../../api/queries.ts";
import { Elsewhere } from "../../session/elsewhere.tsx";
import { useSession } from "../../session/use-session.ts";
import { NotFound } from "../../ui/not-found.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { useTitle } from "../../ui/page-heading.tsx";
import { today } from "../../ui/time.tsx";
import { useMedia } from "../../ui/use-media.ts";
import { afterNextFrame } from "../../ui/use-next-frame.ts";
import { LabelColors } from "../ticket/label-name.tsx";
import { besideBoard, type ReportOf, TicketPanel } from "../ticket/ticket-panel.tsx";
import { useCloseCard } from "../ticket/use-close-card.ts";
import { BoardSkeleton } from "./board-skeleton.tsx";
import { BoardView } from "./board-view.tsx";
import { focusCard, withCard } from "./laid-out-cards.ts";
import { keepLastBoard } from "./last-board.ts";
import { listQuery } from "./list-query.ts";
import { toFilter } from "./to-filter.ts";
import { useOpenBoard } from "./use-open-board.ts";

const ListView = lazy(() => keepLoading(() => import("./list-view.tsx")).then((list) => ({ default: list.ListView })));

/** A board, and the card in the URL opened over it. */
export function BoardPage({ reportOf }: { reportOf: ReportOf }) {
  const { boardId, ticketId, ticket } = useOpenBoard();
  if (ticketId && !ticket.data && isRefused(ticket.error, "ticket_not_found")) {
    return <Elsewhere what="card" place={ticketPlaceQuery(ticketId)} skeleton={<BoardSkeleton />} />;
  }
  if (ticketId && ticket.isError && !ticket.data && !boardId) {
    return <LoadError error={ticket.error} retry={() => void ticket.refetch()} />;
  }
  if (!boardId) return <BoardSkeleton />;
  return <OneBoard boardId={boardId} reportOf={reportOf} {...(ticketId && { ticketId })} />;
}

function OneBoard({ boardId, ticketId, reportOf }: { boardId: string; ticketId?: string; reportOf: ReportOf }) {
  const { organisation, user } = useSession();
  const search = useSearch({ from: "/signed-in/on-board" });
  const day = today();
  // biome-ignore lint/correctness/useExhaustiveDependencies: relative dates depend on today
  const filter = useMemo(() => toFilter(search, user.id), [search, user.id, day]);
  const closeCard = useCloseCard(boardId, search, ticketId !== undefined);
  const board = useQuery({
    ...(search.view ? listQuery(boardId, filter, search) : boardQuery(boardId, filter)),
    placeholderData: (previous) => (previous?.id === boardId ? previous : undefined),
  });
  useTitle(ticketId === undefined ? board.data?.name : undefined);
  const openId = useRef(ticketId);
  useLayoutEffect(() => {
    openId.current = ticketId;
  }, [ticketId]);
  const isCovered = useCallback(() => openId.current !== undefined, []);
  const openBefore = useRef(ticketId);
  useEffect(() => {
    if (openBefore.current && !ticketId) focusCard(openBefore.current);
    openBefore.current = ticketId;
  }, [ticketId]);
  useEffect(() => {
    if (board.data) keepLastBoard(organisation.id, boardId);
  }, [board.data, boardId, organisation.id]);

  if (isRefused(board.error, "board_not_found")) return <NotFound what="board" />;
  if (board.isError && !board.data) return <LoadError error={board.error} retry={() => void board.refetch()} />;
  // Keep the previous layout until the other one is loaded.
  const View = board.data?.list ? ListView : BoardView;
  return (
    <LabelColors>
      {board.data ? (
        <Suspense fallback={<BoardSkeleton />}>
          <View
            key={boardId}
            board={board.data}
            search={search}
            filter={filter}
            awaited={board.isPlaceholderData}
            isCovered={isCovered}
          />
        </Suspense>
      ) : (
        <BoardSkeleton />
      )}
      {ticketId && (
        <OpenCard ticketId={ticketId} reportOf={reportOf} shown={board.data !== undefined} close={closeCard} />
      )}
    </LabelColors>
  );
}

/** The open card, and the space that its board leaves for it. `shown` says whether the board is rendered yet. */
function OpenCard({
  ticketId,
  reportOf,
  shown,
  close,
}: {
  ticketId: string;
  reportOf: ReportOf;
  shown: boolean;
  close: () => void;
}) {
  const beside = useMedia(besideBoard);
  useLayoutEffect(() => (beside ? () => void delete document.documentElement.dataset.cardBeside : undefined), [beside]);
  useEffect(
    () =>
      // At first it covers the board, because laying the board out again takes as long as the rest of the frame.
      afterNextFrame(() => {
        if (beside) document.documentElement.dataset.cardBeside = "";
        if (shown) withCard(ticketId, (card) => card.scrollIntoView({ block: "nearest", inline: "nearest" }));
      }),
    [ticketId, shown, beside],
  );
  return <TicketPanel key={ticketId} ticketId={ticketId} reportOf={reportOf} close={close} />;
}
