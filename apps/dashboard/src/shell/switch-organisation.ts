import { switchOrganisation as workOn } from "@lodge/contract/calls.generated";
import { adoptSession } from "../api/adopt-session.ts";
import { call } from "../api/call.ts";

/** Works on another organisation from now on. */
export async function switchOrganisation(organisationId: string) {
  await adoptSession(await call(workOn, { body: { organisationId } }));
}
