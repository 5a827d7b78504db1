import Type from "typebox";
import { ApiToken } from "./dashboard/tokens.ts";
import { apiToken, operation } from "./operation.ts";

/** The response of `GET /api/v1/token` (contract section 8). Later versions may add fields. */
export const OwnToken = Type.Pick(ApiToken, ["name", "scope", "permissions", "createdAt", "lastUsedAt"], {
  description: "The token of the request, without its secret.",
});
export type OwnToken = Type.Static<typeof OwnToken>;

/** `GET /api/v1/token` (contract section 8). */
export const showOwnToken = operation({
  id: "showOwnToken",
  method: "GET",
  path: "/api/v1/token",
  door: "api",
  credential: apiToken(null),
  answers: { 200: OwnToken },
  errors: [],
  summary: "Get the token of the request",
  description: "Works with every active token. Use it to check a token, its projects and its permissions.",
});
