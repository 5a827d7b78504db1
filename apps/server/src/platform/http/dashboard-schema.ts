import { ErrorBody } from "@lodge/contract/error-body";
import Type from "typebox";

const errors = { "4xx": ErrorBody, "5xx": ErrorBody };
const audiences = {
  everybody: "For everybody, signed in or not.",
  "signed-in": "For everybody who is signed in.",
  member: "For every member of the organisation that the session works on.",
  admin: "For owners and admins of the organisation that the session works on; a member is answered `forbidden`.",
};

/** Who may use a route: everybody, somebody signed in, a member of an organisation, or an owner or admin of it. */
export type Audience = keyof typeof audiences;

/** What every route of the dashboard's API says of itself, with what it answers when all is well. */
export const dashboardSchema = <Responses extends object>(
  audience: Audience,
  operationId: string,
  summary: string,
  responses: Responses,
) => ({
  operationId,
  summary,
  description: audiences[audience],
  tags: ["Dashboard"],
  security: audience === "everybody" ? [] : [{ session: [] }],
  response: { ...responses, ...errors },
});

/** The answer of a route that has nothing to say but that it is done. */
export const noContent = { 204: Type.Null({ description: "Done." }) };
