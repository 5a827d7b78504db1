import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  Board,
  BoardSummary,
  CardFilter,
  CardPage,
  CardQuery,
  ChangeBoard,
  ChangeColumn,
  ColumnSummary,
  CreateBoard,
  CreateColumn,
} from "@lodge/contract/dashboard/boards";
import { requireActor } from "../access/require-actor.ts";
import type { Deps } from "../platform/deps.ts";
import { dashboardSchema, noContent } from "../platform/http/dashboard-schema.ts";
import { pathId } from "../platform/http/path-ids.ts";
import { changeBoard } from "./change-board.ts";
import { changeColumn } from "./change-column.ts";
import { createBoard } from "./create-board.ts";
import { createColumn } from "./create-column.ts";
import { deleteBoard } from "./delete-board.ts";
import { deleteColumn } from "./delete-column.ts";
import { listCards } from "./list-cards.ts";
import { viewBoard } from "./view-board.ts";

const boardPath = pathId("boardId", "board_not_found", "The board.");
const columnPath = pathId("columnId", "column_not_found", "The column.");

/** Boards, columns and the cards on them, below `/api/dashboard`, for every member. */
export const boardRoutes =
  (deps: Deps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.addHook("onRequest", requireActor(deps, "member"));

    app.get(
      "/boards/:boardId",
      {
        schema: {
          ...dashboardSchema("member", "viewBoard", "Show a board with its cards", { 200: Board }),
          params: boardPath,
          querystring: CardFilter,
        },
      },
      (request) => viewBoard(deps, request.actor, request.params.boardId, request.query),
    );
    app.post(
      "/boards",
      {
        schema: {
          ...dashboardSchema("member", "createBoard", "Make a board", { 201: BoardSummary }),
          body: CreateBoard,
        },
      },
      async (request, reply) => reply.code(201).send(await createBoard(deps, request.actor, request.body)),
    );
    app.patch(
      "/boards/:boardId",
      {
        schema: {
          ...dashboardSchema("member", "changeBoard", "Rename or move a board", { 200: BoardSummary }),
          params: boardPath,
          body: ChangeBoard,
        },
      },
      (request) => changeBoard(deps, request.actor, request.params.boardId, request.body),
    );
    app.delete(
      "/boards/:boardId",
      {
        schema: {
          ...dashboardSchema("member", "deleteBoard", "Delete a board without tickets", noContent),
          params: boardPath,
        },
      },
      async (request, reply) => {
        await deleteBoard(deps, request.actor, request.params.boardId);
        return reply.code(204).send(null);
      },
    );

    app.get(
      "/columns/:columnId/cards",
      {
        schema: {
          ...dashboardSchema("member", "listCards", "List the cards of a column", { 200: CardPage }),
          params: columnPath,
          querystring: CardQuery,
        },
      },
      (request) => listCards(deps, request.actor, request.params.columnId, request.query),
    );
    app.post(
      "/columns",
      {
        schema: {
          ...dashboardSchema("member", "createColumn", "Make a column", { 201: ColumnSummary }),
          body: CreateColumn,
        },
      },
      async (request, reply) => reply.code(201).send(await createColumn(deps, request.actor, request.body)),
    );
    app.patch(
      "/columns/:columnId",
      {
        schema: {
          ...dashboardSchema("member", "changeColumn", "Rename or move a column", { 200: ColumnSummary }),
          params: columnPath,
          body: ChangeColumn,
        },
      },
      (request) => changeColumn(deps, request.actor, request.params.columnId, request.body),
    );
    app.delete(
      "/columns/:columnId",
      {
        schema: {
          ...dashboardSchema("member", "deleteColumn", "Delete a column without cards", noContent),
          params: columnPath,
        },
      },
      async (request, reply) => {
        await deleteColumn(deps, request.actor, request.params.columnId);
        return reply.code(204).send(null);
      },
    );
  };
