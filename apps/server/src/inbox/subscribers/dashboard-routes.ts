import * as subscribers from "@lodge/contract/dashboard/subscribers";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { changeSubscriber } from "./change-subscriber.ts";
import { confirmSubscription, findSubscription, sendConfirmation } from "./confirm-subscriber.ts";
import { createSubscriber } from "./create-subscriber.ts";
import { deleteSubscriber } from "./delete-subscriber.ts";
import { getSubscriber, listSubscribers } from "./list-subscribers.ts";
import { rotateSubscriberSecret } from "./rotate-secret.ts";

/** The operations for subscribers. */
export function subscriberRoutes(app: FastifyInstance, deps: Deps) {
  serve(app, subscribers.listSubscribers, ({ actor }) => listSubscribers(deps, actor));
  serve(app, subscribers.getSubscriber, ({ actor, params }) => getSubscriber(deps, actor, params.subscriberId));
  serve(app, subscribers.createSubscriber, ({ actor, params, body }) =>
    createSubscriber(deps, actor, params.appId, body),
  );
  serve(app, subscribers.changeSubscriber, ({ actor, params, body }) =>
    changeSubscriber(deps, actor, params.subscriberId, body),
  );
  serve(app, subscribers.deleteSubscriber, ({ actor, params }) => deleteSubscriber(deps, actor, params.subscriberId));
  serve(app, subscribers.sendSubscriberConfirmation, ({ actor, params }) =>
    sendConfirmation(deps, actor, params.subscriberId),
  );
  serve(app, subscribers.getSubscription, ({ params }) => findSubscription(deps, params.secret));
  serve(app, subscribers.confirmSubscription, (request) =>
    confirmSubscription(deps, request.ip, request.params.secret),
  );
  serve(app, subscribers.rotateSubscriberSecret, ({ actor, params }) =>
    rotateSubscriberSecret(deps, actor, params.subscriberId),
  );
}
