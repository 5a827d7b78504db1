import { switchOrganisation as workOn } from "@lodge/contract/calls.generated";
import { call } from "../api/call.ts";
import { adoptSession } from "./adopt-session.ts";

/** Switches to another organisation. */
export async function switchOrganisation(organisationId: string) {
  await adoptSession(await call(workOn, { body: { organisationId } }));
}
