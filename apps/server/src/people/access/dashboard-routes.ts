import * as access from "@lodge/contract/dashboard/access";
import * as factors from "@lodge/contract/dashboard/factors";
import * as passkeys from "@lodge/contract/dashboard/passkeys";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { endSession, endSessions } from "./end-sessions.ts";
import { beginTotp, confirmTotp, removeOwnSecondFactor, renewRecoveryCodes, showSecondFactor } from "./enrol-totp.ts";
import { signedOutBodyBytesMax } from "./guard-dashboard.ts";
import { listSessions } from "./list-sessions.ts";
import {
  addPasskey,
  beginPasskey,
  beginPasskeySignIn,
  changePasskey,
  finishPasskeySignIn,
  listPasskeys,
  removePasskey,
} from "./passkeys.ts";
import { readSession } from "./read-session.ts";
import { signIn, withCookies } from "./sign-in.ts";
import { signOut } from "./sign-out.ts";
import { switchOrganisation } from "./switch-organisation.ts";

/** Sessions of the dashboard. */
export function accessRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, access.getSession, async (request, reply) => withCookies(reply, await readSession(deps, request)));
  serve(app, access.signIn, async (request, reply) => withCookies(reply, await signIn(deps, request, request.body)), {
    bodyLimit: signedOutBodyBytesMax,
  });
  serve(app, access.switchOrganisation, (request) =>
    switchOrganisation(deps, request.signedIn, request.body.organisationId),
  );
  serve(app, access.listSessions, ({ signedIn }) => listSessions(deps, signedIn));
  serve(app, access.endSession, ({ signedIn: { userId }, params }) => endSession(deps, userId, params.sessionId));
  serve(app, access.endOtherSessions, ({ signedIn: { userId, sessionId } }) =>
    deps.db.transaction().execute((tx) => endSessions(tx, userId, sessionId)),
  );
  serve(app, factors.getSecondFactor, ({ signedIn }) => showSecondFactor(deps, signedIn));
  serve(app, factors.beginTotp, (request) => beginTotp(deps, request, request.signedIn, request.body.password));
  serve(app, factors.confirmTotp, ({ signedIn, body }) => confirmTotp(deps, signedIn, body.code));
  serve(app, factors.renewRecoveryCodes, (request) =>
    renewRecoveryCodes(deps, request, request.signedIn, request.body.password),
  );
  serve(app, factors.removeOwnSecondFactor, (request) =>
    removeOwnSecondFactor(deps, request, request.signedIn, request.body.password),
  );
  serve(app, passkeys.listPasskeys, ({ signedIn }) => listPasskeys(deps, signedIn));
  serve(app, passkeys.beginPasskey, (request) => beginPasskey(deps, request, request.signedIn, request.body.password));
  serve(app, passkeys.addPasskey, ({ signedIn, body }) => addPasskey(deps, signedIn, body));
  serve(app, passkeys.changePasskey, ({ signedIn, params, body }) =>
    changePasskey(deps, signedIn, params.passkeyId, body),
  );
  serve(app, passkeys.removePasskey, (request) =>
    removePasskey(deps, request, request.signedIn, request.params.passkeyId, request.body.password),
  );
  serve(app, passkeys.beginPasskeySignIn, (request) => beginPasskeySignIn(deps, request));
  serve(
    app,
    passkeys.finishPasskeySignIn,
    async (request, reply) => withCookies(reply, await finishPasskeySignIn(deps, request, request.body)),
    { bodyLimit: signedOutBodyBytesMax },
  );
  serve(app, access.signOut, async (request, reply) => withCookies(reply, await signOut(deps, request)));
}
