import {
  changeTicket,
  createHook,
  createTicket,
  deleteTicket,
  invite,
  listMembers,
  makePasswordLink,
  moveTicket,
  relateTickets,
  rotateHookSecret,
  saveBoardView,
  switchOrganisation,
  writeComment,
} from "@lodge/contract/calls.generated";
import type { CreateTicket } from "@lodge/contract/dashboard/tickets";
import { type DashboardClient, password, signedIn } from "../../server/src/testing/dashboard-client.ts";
import type { Client } from "../../server/src/testing/start-service.ts";
import { type LivelyReports, sendLivelyReports } from "./lively-reports.ts";
import { uploadLivelySourceMap } from "./lively-source-map.ts";

const person = (name: string, role: "owner" | "admin" | "member") => ({
  name,
  email: `${name.split(" ", 1)[0]?.toLowerCase()}@acme.test`,
  role,
  password,
});

/** The ids and paths of the lively world's pages. */
export type LivelyWorld = {
  boardId: string;
  emptyBoardId: string;
  ticketId: string;
  relatedTicketId: string;
  invitationPath: string;
  passwordPath: string;
  subscriberId: string;
} & LivelyReports;

/** The slugs of the lively world's organisations: the main one, and another one of Ada's. */
export const livelySlugs = ["acme", "umbra"] as const;

/** The people of the lively world. Their password is `password`. */
export const livelyPeople = [
  person("Ada Byron", "owner"),
  person("Grace Hopper", "admin"),
  person("Mel Kaye", "member"),
];

/**
 * Creates an organisation in use: people, boards, cards by people and tokens, comments, history. Works over HTTP, on a
 * database that may contain other organisations but none with these slugs.
 */
export async function makeLivelyWorld(lodge: Client, slugs: readonly string[] = livelySlugs): Promise<LivelyWorld> {
  const [acmeSlug = "", umbraSlug = ""] = slugs;
  const acme = await lodge.apply({
    organisation: { name: "Acme", slug: acmeSlug, credits: 10 },
    members: livelyPeople,
    projects: [
      {
        name: "Web",
        slug: "web",
        repositories: [{ name: "storefront", url: "https://git.example.test/acme/storefront.git" }],
        boards: [
          { name: "Inbox", columns: ["Backlog", "Doing", "In review", "Done"], doneColumn: "Done" },
          { name: "Releases", columns: ["Planned", "Shipped"] },
        ],
      },
      { name: "Mobile", slug: "mobile", boards: [{ name: "App", columns: ["To do", "Doing", "Done"] }] },
    ],
    apps: [
      {
        name: "Storefront",
        slug: "storefront",
        keys: ["default"],
        replies: true,
        sourceLines: true,
        subscribers: [{ kind: "webhook", url: "https://hooks.example.test/lodge" }],
      },
      { name: "Warehouse", slug: "warehouse", keys: ["default"] },
    ],
    tokens: [
      { name: "Nightly build", scope: ["web"], permissions: ["tickets:write", "sourcemaps:write"] },
      { name: "Error watch", scope: "all", permissions: ["tickets:write"] },
      { name: "Old deploy script", scope: ["web", "mobile"], permissions: ["tickets:write", "metrics:read"] },
    ],
  });
  await lodge.apply({
    organisation: { name: "Umbra", slug: umbraSlug },
    members: [person("Ada Byron", "admin")],
  });
  const [web] = acme.projects;
  const [inbox, releases] = web?.boards ?? [];
  const [backlog = "", doing = "", review = "", done = ""] = inbox?.columns.map(({ id }) => id) ?? [];
  const subscriberId = acme.apps[0]?.subscribers[0]?.id ?? "";
  const [ada, grace, mel] = await Promise.all(
    ["ada", "grace", "mel"].map((name) => signedIn(lodge, `${name}@acme.test`)),
  );
  if (!inbox || !releases || !ada || !grace || !mel) throw new Error("lodged apply did not return everything");
  await ada.call(switchOrganisation, { body: { organisationId: acme.organisation.id } });
  const [adaId = "", graceId = "", melId = ""] = acme.members.map(({ id }) => id);
  const nightly = acme.tokens[0]?.secret;
  const watch = acme.tokens[1]?.secret;

  const file = (client: DashboardClient, columnId: string, title: string, more: Partial<CreateTicket> = {}) =>
    client.call(createTicket, { body: { columnId, title, ...more } });
  const fileByToken = async (secret: string | null | undefined, title: string, more: object = {}): Promise<string> => {
    const { status, body, text } = await lodge.fileTicket(secret, { title, projectId: web?.id, ...more });
    if (status !== 201) throw new Error(text);
    return String(body.id);
  };

  await file(ada, done, "Move the invoices to the new tax rates", { assigneeUserId: adaId });
  await file(grace, done, "Show the delivery day in the basket", { priority: "low", assigneeUserId: graceId });
  await file(mel, review, "Sort the search results by what people buy", { priority: "medium", assigneeUserId: melId });
  await file(grace, review, "Let a customer change the address of an order that has not left", {
    assigneeUserId: graceId,
    dueAt: day(2),
  });
  await fileByToken(watch, "TypeError: cannot read properties of undefined (reading 'price')", {
    columnId: doing,
    priority: "high",
    assigneeUserId: acme.organisation.agentUserId,
  });
  const ticketId = await fileByToken(nightly, "Nightly build is red: checkout times out on two of three browsers", {
    columnId: backlog,
    priority: "high",
    labels: ["checkout", "flaky"],
    description:
      "The end-to-end run of the checkout fails since last night.\n\n" +
      "  chromium   passed\n  firefox    timed out after 30 s\n  webkit     timed out after 30 s\n\n" +
      "Log: https://ci.example.test/acme/storefront/runs/4812\n\n" +
      "It started with the change of the payment form, which waits for a frame that those two never load.",
  });
  const { id: basketId } = await file(ada, doing, "Give the empty basket a way back to the shop", {
    priority: "low",
    assigneeUserId: melId,
    startsAt: day(-3),
    dueAt: day(-1),
  });
  await fileByToken(nightly, "Bundle of the start page grew by 38 kB", { columnId: backlog, priority: "medium" });
  await file(mel, backlog, "Write down how to roll a release back", { dueAt: day(12) });
  const { id: parcelsId } = await file(grace, backlog, "Ask the warehouse which parcels they split");
  await fileByToken(watch, "Slow query: orders by customer takes 2.3 s", { columnId: backlog, priority: "medium" });
  const { id: deletedId } = await file(grace, backlog, "Try the new payment form on an old telephone");
  await grace.call(deleteTicket, { params: { ticketId: deletedId } });

  for (const [kind, otherId] of [
    ["blockedBy", parcelsId],
    ["relatesTo", ticketId],
  ] as const) {
    await ada.call(relateTickets, { params: { ticketId: basketId }, body: { kind, otherId } });
  }

  const params = { ticketId };
  await grace.call(changeTicket, { params, body: { assigneeUserId: adaId, dueAt: day(1) } });
  await grace.call(moveTicket, { params, body: { columnId: doing, belowTicketId: null } });
  await grace.call(writeComment, {
    params,
    body: {
      text: "@Mel Kaye you changed the payment form last. Does the frame need to load before the button shows?",
      mentionedUserIds: [melId],
    },
  });
  await mel.call(writeComment, {
    params,
    body: { text: "No, that wait is left over from the old provider. I take it out today." },
  });
  const byPrograms = { name: "By programs", filter: { author: "token" } } as const;
  await ada.call(saveBoardView, { params: { boardId: inbox.id }, body: byPrograms });
  const reports = await sendLivelyReports(lodge, ada, acme.apps[0], backlog);
  await uploadLivelySourceMap(lodge, nightly ?? "", "assets/checkout-C91e7b40.js");
  const invitation = await grace.call(invite, { body: { email: "lin@acme.test", role: "member" } });
  const invitationPath = new URL(invitation.url).pathname;
  const { hook } = await ada.call(createHook, { body: { url: "https://ops.example.test/lodge" } });
  await ada.call(rotateHookSecret, { params: { hookId: hook.id } });
  const { members } = await grace.call(listMembers);
  const userId = members.find(({ email }) => email === "mel@acme.test")?.userId ?? "";
  const passwordPath = new URL((await grace.call(makePasswordLink, { params: { userId } })).url).pathname;

  // Recent activity, and a token that was not used for a long time.
  const { pool } = lodge.deps;
  const ofAcme = [acme.organisation.id];
  await pool.query("update tokens set created_at = now() - interval '200 days' where organisation_id = $1", ofAcme);
  await pool.query(
    `update tokens set last_used_at = now() - interval '134 days'
     where organisation_id = $1 and name = 'Old deploy script'`,
    ofAcme,
  );
  for (const table of ["ticket_activities", "comments"]) {
    await pool.query(
      `update ${table} set created_at = created_at - interval '47 minutes' * later.count
       from (select id, row_number() over (order by id desc) as count from ${table} where organisation_id = $1) as later
       where ${table}.organisation_id = $1 and later.id = ${table}.id`,
      ofAcme,
    );
  }
  await pool.query(
    `update tickets set created_at = filed.created_at from ticket_activities as filed
     where filed.organisation_id = $1 and tickets.organisation_id = $1
       and filed.ticket_id = tickets.id and filed.kind = 'ticket.filed'`,
    ofAcme,
  );
  await pool.query(
    `insert into allowance_months (organisation_id, month, install_limit, decides, forgiven, installs)
     select $1, (date_trunc('month', now() at time zone 'UTC') - interval '1 month' * (12 - n))::date, 1000, false,
       n = 6, installs
     from unnest(array[402, 431, 520, 611, 702, 1204, 640, 688, 725, 790, 1310]) with ordinality as past (installs, n)
     on conflict do nothing`,
    ofAcme,
  );
  await pool.query(
    `insert into install_days (organisation_id, day, installs)
     select $1, (date_trunc('month', now() at time zone 'UTC') - interval '1 month' * past)::date + days.day,
       days.installs * (3 - past) / 2
     from generate_series(1, 2) past cross join lateral (values (0, 310), (9, 520), (14, case when past = 1 then 900 else 560 end)) days (day, installs)`,
    ofAcme,
  );
  await pool.query(
    `insert into key_installs (app_id, day, sdk_key_id, shard, installs)
     select apps.id, (date_trunc('month', now() at time zone 'UTC') - interval '1 month')::date + 14, sdk_keys.id, 0,
       case apps.slug when 'warehouse' then 352 else 28 end
     from apps join sdk_keys on app_id = apps.id where organisation_id = $1`,
    ofAcme,
  );
  return {
    boardId: inbox.id,
    emptyBoardId: releases.id,
    ticketId,
    relatedTicketId: basketId,
    invitationPath,
    passwordPath,
    subscriberId,
    ...reports,
  };
}

/** The date some days from today, as YYYY-MM-DD. */
function day(fromToday: number): string {
  return new Date(Date.now() + fromToday * 86_400_000).toISOString().slice(0, 10);
}
