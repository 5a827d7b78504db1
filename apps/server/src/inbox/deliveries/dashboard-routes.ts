import * as deliveries from "@lodge/contract/dashboard/deliveries";
import * as subscribers from "@lodge/contract/dashboard/subscribers";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { openMailer } from "../../platform/outbound/open-mailer.ts";
import { openOutboundAgent } from "../../platform/outbound/outbound.ts";
import { problemsOfEvents } from "../problems/problem-of-event.ts";
import { getDeliveryCurl } from "./get-delivery-curl.ts";
import { listEventDeliveries } from "./list-event-deliveries.ts";
import { listSubscriberDeliveries } from "./list-subscriber-deliveries.ts";
import { resendDeadDeliveries } from "./resend-dead-deliveries.ts";
import { resendDelivery } from "./resend-delivery.ts";
import { skipDelivery } from "./skip-delivery.ts";
import { cancelReplay, countReplay, startReplay } from "./start-replay.ts";
import { testSubscriber } from "./test-subscriber.ts";

/** The operations for deliveries of events to subscribers. */
export function deliveryRoutes(app: FastifyInstance, deps: Deps) {
  const agent = openOutboundAgent(deps.config.webhookAllowedNetworks, deps.resolveHost);
  const mailer = openMailer(deps.config, deps.log, deps.urls);
  app.addHook("onClose", async () => {
    mailer.close();
    await agent.destroy();
  });
  serve(app, deliveries.listEventDeliveries, ({ actor, params }) => listEventDeliveries(deps, actor, params.eventId));
  serve(app, deliveries.resendDelivery, ({ actor, params }) => resendDelivery(deps, actor, params.deliveryId));
  serve(app, deliveries.skipDelivery, ({ actor, params }) => skipDelivery(deps, actor, params.deliveryId));
  serve(app, deliveries.getDeliveryCurl, ({ actor, params }) => getDeliveryCurl(deps, actor, params.deliveryId));
  serve(app, subscribers.listSubscriberDeliveries, ({ actor, params, query }) =>
    listSubscriberDeliveries(deps, actor, params.subscriberId, query),
  );
  serve(app, subscribers.resendDeadDeliveries, ({ actor, params }) =>
    resendDeadDeliveries(deps, actor, params.subscriberId),
  );
  serve(app, subscribers.countReplay, ({ actor, params, query }) =>
    countReplay(deps, actor, params.subscriberId, query),
  );
  serve(app, subscribers.startReplay, ({ actor, params, body }) => startReplay(deps, actor, params.subscriberId, body));
  serve(app, subscribers.cancelReplay, ({ actor, params }) => cancelReplay(deps, actor, params.replayId));
  serve(app, subscribers.testSubscriber, ({ actor, params, body }) =>
    testSubscriber(deps, { agent, mailer, findProblem: problemsOfEvents(deps) }, actor, params.appId, body),
  );
}
