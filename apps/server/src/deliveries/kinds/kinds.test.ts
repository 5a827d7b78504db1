import assert from "node:assert/strict";
import { test } from "node:test";
import { startReceiver } from "../../testing/start-receiver.ts";
import { startService, withWorker } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { deliveriesIn, subscribe } from "../../testing/subscribe.ts";

const local = { ...withWorker, LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1" };
const chats = ["slack", "discord", "teams"] as const;
const told = {
  reportId: "told",
  title: "<!channel> & [click](https://evil.test) @everyone",
  message: "1 < 2\nand *so* on",
};

test("chats are told the title as a link, the message and the app, with nothing in them that they would take for their own", async () => {
  // As each of them answers.
  const statuses = { "/slack": 200, "/discord": 204, "/teams": 202 } as Record<string, number>;
  await using receiver = await startReceiver(({ path }, response) => response.writeHead(statuses[path] ?? 500).end());
  await using lodge = await startService(local);
  const { key } = await subscribe(
    lodge,
    chats.map((kind) => ({ kind, url: `${receiver.url}/${kind}` })),
  );
  const full = await submitReport(lodge.url, key, told);
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
    [told.title, told.message, "iOS"],
  );
  assert.deepEqual(content.actions, [{ type: "Action.OpenUrl", title: "Open the report", url: address(full.eventId) }]);
  await deliveriesIn(lodge, "delivered", 6);
});

test("what a report holds does not make a message larger than its chat takes", async () => {
  await using receiver = await startReceiver();
  await using lodge = await startService(local);
  const { key } = await subscribe(
    lodge,
    chats.map((kind) => ({ kind, url: `${receiver.url}/${kind}` })),
  );
  // Each character is one that escaping makes longer.
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
