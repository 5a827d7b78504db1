import * as providers from "@lodge/contract/dashboard/providers";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { openOutboundAgent } from "../../platform/outbound/outbound.ts";
import { signedOutBodyBytesMax } from "../access/guard-dashboard.ts";
import { withCookies } from "../access/sign-in.ts";
import { beginProviderSignIn } from "./begin-provider-sign-in.ts";
import { finishProviderSignIn } from "./finish-provider-sign-in.ts";
import { beginIdentityLink, finishIdentityLink, listOwnIdentities, unlinkOwnIdentity } from "./own-identities.ts";
import { removeIdentityProvider, setIdentityProvider, showIdentityProvider } from "./set-identity-provider.ts";

/** Signing in with the identity provider of an organisation. */
export function identityProviderRoutes(app: FastifyInstance, deps: Deps) {
  const agent = openOutboundAgent(deps.config.webhookAllowedNetworks, deps.resolveHost);
  app.addHook("onClose", () => agent.destroy());
  serve(app, providers.getIdentityProvider, ({ actor }) => showIdentityProvider(deps, actor));
  serve(app, providers.setIdentityProvider, ({ actor, body }) => setIdentityProvider(deps, agent, actor, body));
  serve(app, providers.removeIdentityProvider, ({ actor }) => removeIdentityProvider(deps, actor));
  serve(
    app,
    providers.beginProviderSignIn,
    async (request, reply) => withCookies(reply, await beginProviderSignIn(deps, agent, request, request.params.slug)),
    { bodyLimit: signedOutBodyBytesMax },
  );
  serve(
    app,
    providers.finishProviderSignIn,
    async (request, reply) =>
      withCookies(reply, await finishProviderSignIn(deps, agent, request, request.params.slug, request.body.answer)),
    { bodyLimit: signedOutBodyBytesMax },
  );
  serve(app, providers.listOwnIdentities, ({ signedIn }) => listOwnIdentities(deps, signedIn));
  serve(app, providers.beginIdentityLink, async (request, reply) =>
    withCookies(reply, await beginIdentityLink(deps, agent, request, { ...request.params, ...request.body })),
  );
  serve(app, providers.finishIdentityLink, async (request, reply) =>
    withCookies(reply, await finishIdentityLink(deps, agent, request, { ...request.params, ...request.body })),
  );
  serve(app, providers.unlinkOwnIdentity, ({ signedIn, params }) => unlinkOwnIdentity(deps, signedIn, params.slug));
}
