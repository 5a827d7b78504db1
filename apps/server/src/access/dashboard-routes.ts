import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  AcceptInvitation,
  InvitationLink,
  Session,
  SetUp,
  SetupState,
  SignIn,
  SwitchOrganisation,
} from "@lodge/contract/dashboard/access";
import type { FastifyReply } from "fastify";
import Type from "typebox";
import { acceptInvitation } from "../organisations/accept-invitation.ts";
import { findInvitation } from "../organisations/find-invitation.ts";
import { isSetupNeeded, setUp } from "../organisations/set-up.ts";
import { publishEndOfSession } from "../platform/database/publish.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { dashboardSchema, noContent } from "../platform/http/dashboard-schema.ts";
import type { Auth } from "./auth.ts";
import { describeSession } from "./describe-session.ts";
import { findActor } from "./find-actor.ts";
import { strangersBodyBytesMax } from "./guard-dashboard.ts";
import { requireActor } from "./require-actor.ts";
import { headersFor, signIn, type WithCookies } from "./sign-in.ts";
import { switchOrganisation } from "./switch-organisation.ts";

const linkPath = Type.Object({ secret: Type.String({ description: "What the link ends with." }) });

/** How people come in and go out, below `/api/dashboard`. */
export const accessRoutes =
  (deps: Deps): FastifyPluginAsyncTypebox =>
  async (app) => {
    let made: Promise<Auth> | undefined;
    const auth = () => {
      made ??= import("./auth.ts").then(({ createAuth }) => createAuth(deps));
      return made;
    };
    const signedIn = requireActor(deps, "signed-in");

    app.get(
      "/session",
      { schema: dashboardSchema("signed-in", "getSession", "Say who is signed in", { 200: Session }) },
      async (request, reply) => {
        const { headers, response } = await (await auth()).api.getSession({
          headers: headersFor(request),
          returnHeaders: true,
        });
        if (!response) throw new Refusal("not_signed_in");
        return send(reply, { body: await describeSession(deps, response.session.id), cookies: headers.getSetCookie() });
      },
    );
    app.post(
      "/session",
      {
        bodyLimit: strangersBodyBytesMax,
        schema: { ...dashboardSchema("everybody", "signIn", "Sign in", { 200: Session }), body: SignIn },
      },
      async (request, reply) => send(reply, await signIn(deps, await auth(), request, request.body)),
    );
    app.patch(
      "/session",
      {
        onRequest: signedIn,
        schema: {
          ...dashboardSchema("signed-in", "switchOrganisation", "Work on another organisation", { 200: Session }),
          body: SwitchOrganisation,
        },
      },
      async (request, reply) => {
        const { signedIn: person, body } = request;
        return send(reply, await switchOrganisation(deps, await auth(), request, person, body.organisationId));
      },
    );
    app.delete(
      "/session",
      { schema: { ...dashboardSchema("everybody", "signOut", "Sign out", noContent) } },
      async (request, reply) => {
        const found = await findActor(deps, request.headers.cookie);
        const { headers } = await (await auth()).api.signOut({ headers: headersFor(request), returnHeaders: true });
        if (found) await publishEndOfSession(deps.db, found.signedIn.sessionId);
        return reply.code(204).header("set-cookie", headers.getSetCookie()).send(null);
      },
    );

    app.get(
      "/setup",
      {
        schema: {
          ...dashboardSchema("everybody", "getSetup", "Say whether the first owner is still to be made", {
            200: SetupState,
          }),
        },
      },
      async () => ({ needed: await isSetupNeeded(deps) }),
    );
    app.post(
      "/setup",
      {
        bodyLimit: strangersBodyBytesMax,
        schema: {
          ...dashboardSchema("everybody", "setUp", "Make the first owner and an organisation", { 201: Session }),
          body: SetUp,
        },
      },
      async (request, reply) => {
        await setUp(deps, request.body);
        return send(reply.code(201), await signIn(deps, await auth(), request, request.body));
      },
    );

    app.get(
      "/invitation-links/:secret",
      {
        schema: {
          ...dashboardSchema("everybody", "getInvitationLink", "Say what an invitation is for", {
            200: InvitationLink,
          }),
          params: linkPath,
        },
      },
      (request) => findInvitation(deps, request.params.secret),
    );
    app.post(
      "/invitation-links/:secret",
      {
        bodyLimit: strangersBodyBytesMax,
        schema: {
          ...dashboardSchema("everybody", "acceptInvitation", "Accept an invitation", { 200: Session }),
          params: linkPath,
          body: AcceptInvitation,
        },
      },
      async (request, reply) => {
        const person = (await findActor(deps, request.headers.cookie))?.signedIn;
        const { organisationId, email } = await acceptInvitation(deps, request.params.secret, person, request.body);
        if (!person)
          return send(
            reply,
            await signIn(deps, await auth(), request, { email, password: request.body.password ?? "" }),
          );
        return send(reply, await switchOrganisation(deps, await auth(), request, person, organisationId));
      },
    );
  };

function send(reply: FastifyReply, { body, cookies }: WithCookies<Session>): Session {
  if (cookies.length > 0) reply.header("set-cookie", cookies);
  return body;
}
