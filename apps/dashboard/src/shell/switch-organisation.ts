import type { Session, SwitchOrganisation } from "@lodge/contract/dashboard/access";
import { adoptSession } from "../api/adopt-session.ts";
import { request } from "../api/request.ts";

/** Works on another organisation from now on. */
export async function switchOrganisation(organisationId: string) {
  await adoptSession(await request<Session>("PATCH", "session", { organisationId } satisfies SwitchOrganisation));
}
