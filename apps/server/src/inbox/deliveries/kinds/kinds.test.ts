import assert from "node:assert/strict";
import { test } from "node:test";
import { confirmSubscription, createSubscriber, testSubscriber } from "@lodge/contract/calls.generated";
import { signedIn, visitor } from "../../../testing/dashboard-client.ts";
import { startMailServer } from "../../../testing/start-mail-server.ts";
import { startReceiver } from "../../../testing/start-receiver.ts";
import { startService, withWorker } from "../../../testing/start-service.ts";
import { submitReport } from "../../../testing/submit-report.ts";
import { deliveriesIn, subscribe } from "../../../testing/subscribe.ts";

/** A fake GitHub Enterprise Server that answers as its REST documentation says. */
async function startGitHub() {
  type Issue = { number: number; title: string; body: string; created_at: string };
  const issues: Issue[] = [];
  const state = { breaksAfterMaking: false };
  const receiver = await startReceiver(({ method, path, headers, body }, response) => {
    const answer = (status: number, value: object, more: Record<string, string> = {}) =>
      response
        .writeHead(status, { "content-type": "application/json; charset=utf-8", ...more })
        .end(JSON.stringify(value));
    if (headers.authorization !== "Bearer github_pat_1") return answer(401, { message: "Bad credentials" });
    const url = new URL(path, "http://github.test");
    if (url.pathname !== "/api/v3/repos/acme/web/issues") return answer(404, { message: "Not Found" });
    if (method === "GET") {
      const [page, perPage] = ["page", "per_page"].map((name) => Number(url.searchParams.get(name)));
      assert.deepEqual([url.searchParams.get("state"), url.searchParams.get("direction")], ["all", "desc"]);
      return answer(
        200,
        issues
          .toReversed()
          .slice(((page ?? 1) - 1) * (perPage ?? 30))
          .slice(0, perPage),
      );
    }
    const { title, body: text } = JSON.parse(body.toString());
    issues.push({ number: issues.length + 1, title, body: text, created_at: new Date().toISOString() });
    if (state.breaksAfterMaking) return response.destroy();
    return answer(201, { number: issues.length, title });
  });
  return { receiver, issues, state, [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() };
}

const local = { ...withWorker, LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1" };
const chats = ["slack", "discord", "teams"] as const;
const hostileReport = {
  reportId: "told",
  title: "<!channel> & [click](https://evil.test) @everyone",
  message: "1 < 2\nand *so* on",
};

test("chats get the title as a link, the message and the app, with their markup escaped", async () => {
  // The status with which each chat accepts a message.
  const statuses = { "/slack": 200, "/discord": 204, "/teams": 202 } as Record<string, number>;
  await using receiver = await startReceiver(({ path }, response) => response.writeHead(statuses[path] ?? 500).end());
  await using lodge = await startService(local);
  const { key } = await subscribe(
    lodge,
    chats.map((kind) => ({ kind, url: `${receiver.url}/${kind}` })),
  );
  const full = await submitReport(lodge.url, key, hostileReport);
  await receiver.until(3);
  const silent = await submitReport(lodge.url, key, { reportId: "silent" });
  await receiver.until(6);
  const bodies = (path: string) =>
    receiver.received.filter((message) => message.path === path).map(({ body }) => JSON.parse(body.toString()));
  for (const { headers } of receiver.received) assert.equal(headers["webhook-signature"], undefined);
  const address = (eventId: unknown) => `${lodge.url}/events/${eventId}`;

  const [slack, slackSilent] = bodies("/slack");
  const escaped = "&lt;!channel&gt; &amp; [click](https://evil.test) @everyone";
  assert.equal(slack.text, `iOS: ${escaped}`);
  assert.equal(slack.blocks[0].text.text, `*<${address(full.eventId)}|${escaped}>*\n1 &lt; 2\nand *so* on`);
  assert.equal(slack.blocks[1].elements[0].text, "iOS");
  assert.equal(slackSilent.text, "iOS: bug");
  assert.equal(slackSilent.blocks[0].text.text, `*<${address(silent.eventId)}|bug>*`);

  const [discord, discordSilent] = bodies("/discord");
  assert.deepEqual(discord.allowed_mentions, { parse: [] });
  const [{ timestamp, ...embed }] = discord.embeds;
  assert.deepEqual(embed, {
    title: "\\<!channel\\> & \\[click\\]\\(https://evil.test\\) \\@everyone",
    url: address(full.eventId),
    description: "1 \\< 2\nand \\*so\\* on",
    footer: { text: "iOS" },
  });
  assert.equal(new Date(timestamp).toISOString(), timestamp);
  assert.equal(discordSilent.embeds[0].title, "bug");
  assert.equal(discordSilent.embeds[0].description, undefined);

  const [teams] = bodies("/teams");
  assert.equal(teams.type, "message");
  const [{ contentType, content }] = teams.attachments;
  assert.equal(contentType, "application/vnd.microsoft.card.adaptive");
  assert.deepEqual(
    content.body.map((block: { inlines: { text: string }[] }) => block.inlines[0]?.text),
    [hostileReport.title, hostileReport.message, "iOS"],
  );
  assert.deepEqual(content.actions, [{ type: "Action.OpenUrl", title: "Open the report", url: address(full.eventId) }]);
  await deliveriesIn(lodge, "delivered", 6);
});

test("the message of a large report stays within the size limit of its chat", async () => {
  await using receiver = await startReceiver();
  await using lodge = await startService(local);
  const { key } = await subscribe(
    lodge,
    chats.map((kind) => ({ kind, url: `${receiver.url}/${kind}` })),
  );
  // Escaping makes each of these characters longer.
  await submitReport(lodge.url, key, { reportId: "r", title: "*&".repeat(100), message: "&*".repeat(10_000) });
  await receiver.until(3);
  const body = (path: string) => {
    const message = receiver.received.find((received) => received.path === path);
    return { bytes: message?.body.length ?? 0, parsed: JSON.parse(message?.body.toString() ?? "") };
  };
  assert.ok(body("/slack").parsed.blocks[0].text.text.length <= 3_000);
  const [embed] = body("/discord").parsed.embeds;
  assert.ok(embed.title.length <= 256 && embed.description.length <= 4_096);
  assert.ok(body("/teams").bytes <= 28_000);
});

test("a report becomes one GitHub issue even if GitHub's answer was lost, and the issue mentions nobody", async () => {
  await using github = await startGitHub();
  await using lodge = await startService({ ...local, LODGE_WEBHOOK_RETRY_SCHEDULE: "100ms,100ms,100ms" });
  const { key, appId } = await subscribe(lodge, [], {
    members: [{ name: "Ada", email: "ada@acme.test", role: "admin" }],
  });
  const ada = await signedIn(lodge, "ada@acme.test");
  const params = { appId };
  const url = `${github.receiver.url}/acme/web`;
  const refused = async (body: object) => (await ada("POST", `/apps/${appId}/subscribers`, body)).body.details;
  assert.deepEqual(await refused({ kind: "github", url }), [{ path: "/token", message: "is required" }]);
  assert.match(JSON.stringify(await refused({ kind: "github", url: "https://github.com/acme", token: "x" })), /owner/);
  const wrong = { kind: "github" as const, url, token: "github_pat_0" };
  assert.match((await ada.call(testSubscriber, { params, body: wrong })).reason ?? "", /rejected the token/);
  const made = await ada.call(createSubscriber, { params, body: { ...wrong, token: "github_pat_1" } });
  assert.equal(made.secret, null);
  assert.doesNotMatch(JSON.stringify(made), /github_pat/);

  github.state.breaksAfterMaking = true;
  const { eventId } = await submitReport(lodge.url, key, { ...hostileReport, message: "@team ``` <!-- #1" });
  const [delivery] = await deliveriesIn(lodge, "delivered");
  assert.ok((delivery?.attempt_count ?? 0) >= 2, "the delivery is retried, since the first answer was lost");
  assert.equal(github.issues.length, 1);
  assert.equal(github.issues[0]?.title, `iOS: ${hostileReport.title}`);
  const text = github.issues[0]?.body ?? "";
  assert.ok(text.startsWith("````text\n@team ``` <!-- #1\n````\n"), text);
  assert.ok(text.includes(`${lodge.url}/events/${eventId}`));

  github.state.breaksAfterMaking = false;
  await submitReport(lodge.url, key, { reportId: "another" });
  await deliveriesIn(lodge, "delivered", 2);
  assert.equal(github.issues.length, 2);
  await ada("PATCH", `/subscribers/${made.subscriber.id}`, { token: "github_pat_0" });
  await submitReport(lodge.url, key, { reportId: "refused" });
  await deliveriesIn(lodge, "dead");
  assert.equal(github.issues.length, 2);
});

test("each report is e-mailed once, at a default rate if none is set, and only if the deployment sends e-mail", async () => {
  await using mails = await startMailServer();
  await using lodge = await startService({ ...local, LODGE_SMTP_URL: mails.url, LODGE_MAIL_FROM: "lodge@lodge.test" });
  const { key, appId } = await subscribe(lodge, [], {
    members: [{ name: "Ada", email: "ada@acme.test", role: "admin" }],
  });
  const ada = await signedIn(lodge, "ada@acme.test");
  const params = { appId };
  const body = { kind: "email" as const, url: "mailto:crew@acme.test" };
  for (const url of [
    "mailto:a@b.test,c@d.test",
    "mailto:a@b.test?bcc=c@d.test",
    "https://acme.test",
    "mailto:a%0d@b.test",
  ]) {
    assert.equal((await ada("POST", `/apps/${appId}/subscribers`, { ...body, url })).body.error, "invalid_input", url);
  }
  assert.equal((await ada.call(testSubscriber, { params, body })).reason, null);
  const { subscriber } = await ada.call(createSubscriber, { params, body: { ...body, perMinute: null } });
  assert.equal(subscriber.perMinute, 10);
  const [, asked = ""] = await mails.until(2);
  const [, secret = ""] = /subscriptions\/(\w+)/.exec(asked.replaceAll(/=\r?\n/g, "")) ?? [];
  await visitor(lodge).call(confirmSubscription, { params: { secret } });
  const { eventId } = await submitReport(lodge.url, key, {
    reportId: "m",
    title: "Cart\r\nBcc: x@y.test",
    message: "Empty",
  });
  const [, , mail = ""] = await mails.until(3);
  const [delivery] = await deliveriesIn(lodge, "delivered");
  assert.match(mail, /^To: crew@acme\.test\r?$/m);
  assert.match(mail, /^Subject: iOS: Cart/m);
  assert.doesNotMatch(mail, /^Bcc:/m);
  assert.ok(mail.includes(`<${delivery?.id}@`));
  assert.ok(mail.replaceAll(/=\r?\n/g, "").includes(`${lodge.url}/events/${eventId}`), mail);

  await using silent = await startService(local);
  const { appId: other } = await subscribe(silent, [], {
    members: [{ name: "Ada", email: "ada@acme.test", role: "admin" }],
  });
  const { body: answer } = await (await signedIn(silent, "ada@acme.test"))("POST", `/apps/${other}/subscribers`, body);
  assert.match(JSON.stringify(answer), /this server does not send/);
});
