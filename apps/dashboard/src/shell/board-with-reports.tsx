import { BoardPage } from "../board/board/board-page.tsx";
import { TicketReport } from "../inbox/reports/ticket-report.tsx";

/** The page of a board, with the reports of its cards. */
export const BoardWithReports = () => <BoardPage reportOf={TicketReport} />;
