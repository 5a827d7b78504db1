import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  ChangeMember,
  InvitationList,
  Invite,
  Member,
  MemberList,
  NewInvitation,
  PersonList,
} from "@lodge/contract/dashboard/access";
import { requireActor } from "../access/require-actor.ts";
import type { Deps } from "../platform/deps.ts";
import { dashboardSchema, noContent } from "../platform/http/dashboard-schema.ts";
import { pathId } from "../platform/http/path-ids.ts";
import { changeMember } from "./change-member.ts";
import { invite } from "./invite.ts";
import { listInvitations } from "./list-invitations.ts";
import { listMembers } from "./list-members.ts";
import { listPeople } from "./list-people.ts";
import { removeMember } from "./remove-member.ts";
import { revokeInvitation } from "./revoke-invitation.ts";

const memberPath = pathId("userId", "member_not_found", "The member's user.");
const invitationPath = pathId("invitationId", "invitation_not_found", "The invitation.");

/** Members and invitations of the organisation, below `/api/dashboard`. */
export const organisationRoutes =
  (deps: Deps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const member = requireActor(deps, "member");
    const admin = requireActor(deps, "admin");

    app.get(
      "/members",
      { onRequest: member, schema: dashboardSchema("member", "listMembers", "List the members", { 200: MemberList }) },
      (request) => listMembers(deps, request.actor),
    );
    app.patch(
      "/members/:userId",
      {
        onRequest: admin,
        schema: {
          ...dashboardSchema("admin", "changeMember", "Change a member's role", { 200: Member }),
          params: memberPath,
          body: ChangeMember,
        },
      },
      (request) => changeMember(deps, request.actor, request.params.userId, request.body),
    );
    app.delete(
      "/members/:userId",
      {
        onRequest: member,
        schema: {
          ...dashboardSchema("member", "removeMember", "Remove a member, or leave", noContent),
          params: memberPath,
        },
      },
      async (request, reply) => {
        await removeMember(deps, request.actor, request.params.userId);
        return reply.code(204).send(null);
      },
    );
    app.get(
      "/people",
      {
        onRequest: member,
        schema: dashboardSchema("member", "listPeople", "List who can be mentioned and assigned", { 200: PersonList }),
      },
      (request) => listPeople(deps, request.actor),
    );

    app.get(
      "/invitations",
      {
        onRequest: admin,
        schema: dashboardSchema("admin", "listInvitations", "List the invitations", { 200: InvitationList }),
      },
      (request) => listInvitations(deps, request.actor),
    );
    app.post(
      "/invitations",
      {
        onRequest: admin,
        schema: {
          ...dashboardSchema("admin", "invite", "Invite somebody by link", { 201: NewInvitation }),
          body: Invite,
        },
      },
      async (request, reply) => reply.code(201).send(await invite(deps, request.actor, request.body)),
    );
    app.delete(
      "/invitations/:invitationId",
      {
        onRequest: admin,
        schema: {
          ...dashboardSchema("admin", "revokeInvitation", "Revoke an invitation", noContent),
          params: invitationPath,
        },
      },
      async (request, reply) => {
        await revokeInvitation(deps, request.actor, request.params.invitationId);
        return reply.code(204).send(null);
      },
    );
  };
