import assert from "node:assert/strict";
import type { AppliedWorld, World } from "@lodge/contract/world";
import type { Receiver } from "./start-receiver.ts";
import type { Service } from "./start-service.ts";
import { until } from "./until.ts";

/** The subscribers of an app in a world file. */
export type Subscribers = NonNullable<NonNullable<World["apps"]>[number]["subscribers"]>;

/** An app with subscribers, ready to receive reports. */
export type Subscribed = {
  organisationId: string;
  appId: string;
  keyId: string;
  key: string;
  subscribers: AppliedWorld["apps"][number]["subscribers"];
};

/** Creates the app iOS of Acme with these subscribers; a board must be named in `rest`. */
export async function subscribe(
  lodge: Service,
  subscribers: Subscribers,
  rest: Partial<World> = {},
): Promise<Subscribed> {
  const { organisation, apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    ...rest,
    apps: [{ name: "iOS", slug: "ios", keys: ["default"], subscribers }],
  });
  const [app] = apps;
  assert.ok(app?.keys[0]);
  const { id: keyId, key } = app.keys[0];
  return { organisationId: organisation.id, appId: app.id, keyId, key, subscribers: app.subscribers };
}

/** A webhook that sends to a receiver. */
export const webhook = ({ url }: Pick<Receiver, "url">, path = "/hook") => ({
  kind: "webhook" as const,
  url: `${url}${path}`,
});

/** Waits until `count` deliveries are in a state, and returns them in creation order. */
export async function deliveriesIn(lodge: Service, state: string, count = 1) {
  const find = () =>
    lodge.deps.db.selectFrom("deliveries").selectAll().where("state", "=", state).orderBy("id").execute();
  await until(async () => (await find()).length >= count);
  return find();
}

/** The attempts at a delivery, in order. */
export const attemptsAt = (lodge: Service, deliveryId: string | undefined) =>
  lodge.deps.db
    .selectFrom("delivery_attempts")
    .selectAll()
    .where("delivery_id", "=", deliveryId ?? "")
    .orderBy("number")
    .execute();
