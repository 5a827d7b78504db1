import { BoardPage } from "../board/board/board-page.tsx";
import { TicketReport } from "../inbox/reports/ticket-report.tsx";

/** The page of a board, whose cards show the reports that they are about. */
export const BoardWithReports = () => <BoardPage reportOf={TicketReport} />;
