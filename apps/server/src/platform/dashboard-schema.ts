import { ErrorBody } from "@lodge/contract/error-body";
import Type from "typebox";

const shared = { tags: ["Dashboard"], security: [{ session: [] }] };
const errors = { "4xx": ErrorBody, "5xx": ErrorBody };

/** What every route of the dashboard's API says of itself, with what it answers when all is well. */
export const dashboardSchema = <Responses extends object>(
  operationId: string,
  summary: string,
  responses: Responses,
) => ({
  operationId,
  summary,
  ...shared,
  response: { ...responses, ...errors },
});

/** The answer of a route that has nothing to say but that it is done. */
export const noContent = { 204: Type.Null({ description: "Done." }) };

/** Of a route that asks for no session. */
export const open = { security: [] };
