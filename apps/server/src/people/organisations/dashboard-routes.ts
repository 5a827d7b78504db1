import * as access from "@lodge/contract/dashboard/access";
import * as factors from "@lodge/contract/dashboard/factors";
import * as organisation from "@lodge/contract/dashboard/organisation";
import * as runs from "@lodge/contract/dashboard/runs";
import * as usage from "@lodge/contract/dashboard/usage";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { sendsMail } from "../../platform/outbound/queue-mail.ts";
import { findActor } from "../access/find-actor.ts";
import { refuseProviders, signedOutBodyBytesMax } from "../access/guard-dashboard.ts";
import { signIn, withCookies } from "../access/sign-in.ts";
import { switchOrganisation } from "../access/switch-organisation.ts";
import { acceptInvitation } from "./accept-invitation.ts";
import { addCredits } from "./add-credits.ts";
import { changeMember } from "./change-member.ts";
import { changeOrganisation, showOrganisation } from "./change-organisation.ts";
import { changePlan } from "./change-plan.ts";
import { changePassword, changeProfile } from "./change-profile.ts";
import { createOrganisation } from "./create-organisation.ts";
import { findInvitation } from "./find-invitation.ts";
import { invite } from "./invite.ts";
import { listInvitations } from "./list-invitations.ts";
import { listMembers } from "./list-members.ts";
import { listPeople } from "./list-people.ts";
import { losePassword } from "./lose-password.ts";
import { makePasswordLink } from "./make-password-link.ts";
import { removeMember } from "./remove-member.ts";
import { revokeInvitation } from "./revoke-invitation.ts";
import { findPasswordLink, setPassword } from "./set-password.ts";
import { isSetupNeeded, setUp } from "./set-up.ts";
import { showCredits } from "./show-credits.ts";
import { changeSignInRules, removeMemberSecondFactor, showSignInRules } from "./sign-in-rules.ts";

/** Set-up, organisations with their plan, credits and sign-in rules, members, invitations, profiles and passwords. */
export function organisationRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, access.getSetup, async () => ({
    needed: await isSetupNeeded(deps),
    sendsMail: sendsMail(deps.config),
  }));
  serve(
    app,
    access.setUp,
    async (request, reply) => {
      await setUp(deps, request.ip, request.body);
      return withCookies(reply, await signIn(deps, request, request.body));
    },
    { bodyLimit: signedOutBodyBytesMax },
  );

  serve(app, organisation.getOrganisation, ({ actor }) => showOrganisation(deps, actor));
  serve(app, organisation.changeOrganisation, ({ actor, body }) => changeOrganisation(deps, actor, body));
  serve(app, usage.changePlan, ({ actor, body }) => changePlan(deps, actor, body));
  serve(app, runs.getCredits, ({ actor, query }) => showCredits(deps, actor, query));
  serve(app, runs.addCredits, ({ actor, body }) => addCredits(deps, actor, body));

  serve(app, access.changeProfile, ({ signedIn, body }) => changeProfile(deps, signedIn, body));
  serve(app, access.changePassword, async (request, reply) =>
    withCookies(reply, await changePassword(deps, request, request.signedIn, request.body)),
  );
  serve(app, access.createOrganisation, async ({ signedIn, body }) =>
    switchOrganisation(deps, signedIn, await createOrganisation(deps, signedIn, body)),
  );

  serve(app, access.listMembers, ({ actor }) => listMembers(deps, actor));
  serve(app, access.changeMember, ({ actor, params, body }) => changeMember(deps, actor, params.userId, body));
  serve(app, access.removeMember, ({ actor, params }) => removeMember(deps, actor, params.userId));
  serve(app, access.listPeople, ({ actor }) => listPeople(deps, actor));

  serve(app, access.makePasswordLink, ({ actor, params }) => makePasswordLink(deps, actor, params.userId));

  serve(app, factors.getSignInRules, ({ actor }) => showSignInRules(deps, actor));
  serve(app, factors.changeSignInRules, ({ actor, body }) => changeSignInRules(deps, actor, body));
  serve(app, factors.removeMemberSecondFactor, ({ actor, params }) =>
    removeMemberSecondFactor(deps, actor, params.userId),
  );

  serve(app, access.losePassword, ({ ip, body }) => losePassword(deps, ip, body), {
    bodyLimit: signedOutBodyBytesMax,
  });
  serve(app, access.getPasswordLink, ({ params }) => findPasswordLink(deps, params.secret));
  serve(
    app,
    access.setPassword,
    async (request, reply) => {
      const { email } = await setPassword(deps, request.ip, request.params.secret, request.body);
      return withCookies(reply, await signIn(deps, request, { email, password: request.body.password }));
    },
    { bodyLimit: signedOutBodyBytesMax },
  );

  serve(app, access.listInvitations, ({ actor }) => listInvitations(deps, actor));
  serve(app, access.invite, ({ actor, body }) => invite(deps, actor, body));
  serve(app, access.revokeInvitation, ({ actor, params }) => revokeInvitation(deps, actor, params.invitationId));

  serve(app, access.getInvitationLink, ({ params }) => findInvitation(deps, params.secret));
  serve(
    app,
    access.acceptInvitation,
    async (request, reply) => {
      const person = (await findActor(deps, request.headers.cookie))?.signedIn;
      if (person) refuseProviders(person);
      const { ip, params, body } = request;
      const { organisationId, email } = await acceptInvitation(deps, ip, params.secret, person, body);
      if (person) return switchOrganisation(deps, person, organisationId);
      return withCookies(reply, await signIn(deps, request, { email, password: request.body.password ?? "" }));
    },
    { bodyLimit: signedOutBodyBytesMax },
  );
}
