import * as boards from "@lodge/contract/dashboard/boards";
import { getBoardInsights } from "@lodge/contract/dashboard/insights";
import * as organisation from "@lodge/contract/dashboard/organisation";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { changeBoard } from "./change-board.ts";
import { changeBoardView } from "./change-board-view.ts";
import { changeColumn } from "./change-column.ts";
import { createBoard } from "./create-board.ts";
import { createColumn } from "./create-column.ts";
import { deleteBoard } from "./delete-board.ts";
import { deleteBoardView } from "./delete-board-view.ts";
import { deleteColumn } from "./delete-column.ts";
import { listArchive } from "./list-archive.ts";
import { listBoardCards } from "./list-board-cards.ts";
import { listBoardFigures } from "./list-board-figures.ts";
import { listBoardViews } from "./list-board-views.ts";
import { listCards } from "./list-cards.ts";
import { listFilingSubscribers } from "./list-filing-subscribers.ts";
import { readInsights } from "./read-insights.ts";
import { saveBoardView } from "./save-board-view.ts";
import { setFavourite } from "./set-favourite.ts";
import { viewBoard } from "./view-board.ts";

/** Boards, columns and the cards on them. */
export function boardRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, boards.listBoardFigures, ({ actor }) => listBoardFigures(deps, actor));
  serve(app, boards.viewBoard, ({ actor, params, query }) => viewBoard(deps, actor, params.boardId, query));
  serve(app, getBoardInsights, ({ actor, params, query }) => readInsights(deps, actor, params.boardId, query));
  serve(app, boards.createBoard, ({ actor, body }) => createBoard(deps, actor, body));
  serve(app, boards.changeBoard, ({ actor, params, body }) => changeBoard(deps, actor, params.boardId, body));
  serve(app, boards.deleteBoard, ({ actor, params, query }) => deleteBoard(deps, actor, params.boardId, query));

  serve(app, boards.listBoardViews, ({ actor }) => listBoardViews(deps, actor));
  serve(app, boards.saveBoardView, ({ actor, params, body }) => saveBoardView(deps, actor, params.boardId, body));
  serve(app, boards.changeBoardView, ({ actor, params, body }) => changeBoardView(deps, actor, params.viewId, body));
  serve(app, boards.deleteBoardView, ({ actor, params }) => deleteBoardView(deps, actor, params.viewId));
  serve(app, organisation.listBoardSubscribers, ({ actor, params }) => listFilingSubscribers(deps, actor, params));
  serve(app, organisation.listProjectSubscribers, ({ actor, params }) => listFilingSubscribers(deps, actor, params));

  serve(app, boards.listArchive, ({ actor, params, query }) => listArchive(deps, actor, params.boardId, query));
  serve(app, boards.setFavourite, ({ actor, params, body }) => setFavourite(deps, actor, params.boardId, body));
  serve(app, boards.listCards, ({ actor, params, query }) => listCards(deps, actor, params.columnId, query));
  serve(app, boards.listBoardCards, ({ actor, params, query }) => listBoardCards(deps, actor, params.boardId, query));
  serve(app, boards.createColumn, ({ actor, body }) => createColumn(deps, actor, body));
  serve(app, boards.changeColumn, ({ actor, params, body }) => changeColumn(deps, actor, params.columnId, body));
  serve(app, boards.deleteColumn, ({ actor, params, query }) => deleteColumn(deps, actor, params.columnId, query));
}
