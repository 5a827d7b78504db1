import type { Token } from "./authenticate-token.ts";

/** The author of a change: a person, or an API token within the projects that it has access to. */
export type Changer = { organisationId: string; name: string; userId: string | null; token?: Token };

/** A token as the author of a change. */
export const tokenAsChanger = (token: Token): Changer => ({
  organisationId: token.organisationId,
  name: token.name,
  userId: null,
  token,
});
