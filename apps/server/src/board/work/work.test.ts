import assert from "node:assert/strict";
import { test } from "node:test";
import type { Following, WorkPage } from "@lodge/contract/dashboard/work";
import { signedIn, twoOrganisations } from "../../testing/dashboard-client.ts";
import { type Service, startService } from "../../testing/start-service.ts";

async function world(lodge: Service) {
  const { acme } = await twoOrganisations(lodge);
  const [column] = acme.projects[0]?.boards[0]?.columns ?? [];
  const [ada, mel] = [await signedIn(lodge, "ada@acme.test"), await signedIn(lodge, "mel@acme.test")];
  const { body: session } = await mel("GET", "/session");
  const melId = (session.user as { id: string }).id;
  const file = async (by: typeof ada, fields: object) =>
    (await by("POST", "/tickets", { columnId: column?.id, ...fields })).body.id as string;
  const titles = async (by: typeof ada, show: string) => {
    const { body } = await by("GET", `/work?show=${show}`);
    return (body as unknown as WorkPage).cards.map(({ title }) => title);
  };
  return { ada, mel, melId, file, titles };
}

test("a member's work is sorted by due date, across all boards, without done and archived cards", async () => {
  await using lodge = await startService();
  const { ada, mel, melId, file, titles } = await world(lodge);
  await file(ada, { title: "Later", assigneeUserId: melId, dueAt: "2030-02-01" });
  await file(ada, { title: "Undated", assigneeUserId: melId });
  await file(ada, { title: "Sooner", assigneeUserId: melId, dueAt: "2030-01-01" });
  const archived = await file(ada, { title: "Archived", assigneeUserId: melId });
  await ada("PATCH", `/tickets/${archived}`, { archived: true });
  await file(ada, { title: "Of nobody" });
  assert.deepEqual(await titles(mel, "assigned"), ["Sooner", "Later", "Undated"]);
  assert.deepEqual(await titles(mel, "followed"), []);
  assert.deepEqual(await titles(ada, "followed"), ["Sooner", "Later", "Of nobody", "Undated"]);
});

test("a card has its number in My work as soon as it is filed", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const column = acme.projects[0]?.boards[0]?.columns[0];
  // Filed by a token: a person's card is numbered when it is shown to them.
  const mel = await signedIn(lodge, "mel@acme.test");
  const { body: session } = await mel("GET", "/session");
  const melId = (session.user as { id: string }).id;
  for (const title of ["First", "Second"]) {
    const { status } = await lodge.fileTicket(acme.tokens[0]?.secret, {
      title,
      columnId: column?.id,
      projectId: acme.projects[0]?.id,
      assigneeUserId: melId,
    });
    assert.equal(status, 201);
  }
  const { cards } = (await mel("GET", "/work")).body as unknown as WorkPage;
  assert.deepEqual(
    cards.map(({ title, number }) => [title, number]),
    [
      ["Second", "WEB-2"],
      ["First", "WEB-1"],
    ],
  );
});

test("work is paged, with each card once", async () => {
  await using lodge = await startService();
  const { ada, mel, melId, file } = await world(lodge);
  for (let number = 0; number < 60; number++) {
    await file(ada, { title: `Card ${number}`, assigneeUserId: melId, ...(number % 2 && { dueAt: "2030-01-01" }) });
  }
  const first = (await mel("GET", "/work")).body as unknown as WorkPage;
  const second = (await mel("GET", `/work?cursor=${first.nextCursor}`)).body as unknown as WorkPage;
  assert.equal(first.cards.length, 50);
  assert.equal(second.nextCursor, null);
  assert.equal(new Set([...first.cards, ...second.cards].map(({ id }) => id)).size, 60);
  assert.equal((await mel("GET", "/work?cursor=nonsense")).body.error, "invalid_input");
});

test("members who watch a ticket are notified of comments; members who mute it, only of mentions", async () => {
  await using lodge = await startService();
  const { ada, mel, melId, file, titles } = await world(lodge);
  const ticketId = await file(ada, { title: "Watched" });
  const following = async (state?: Following["state"]) =>
    (
      await (state
        ? mel("PATCH", `/tickets/${ticketId}/following`, { state })
        : mel("GET", `/tickets/${ticketId}/following`))
    ).body;
  const unread = async () => (await mel("GET", "/notices/count")).body.unreadCount;
  assert.deepEqual(await following(), { state: "automatic", isFollowing: false });
  assert.deepEqual(await following("watching"), { state: "watching", isFollowing: true });
  assert.deepEqual(await titles(mel, "followed"), ["Watched"]);
  await ada("POST", `/tickets/${ticketId}/comments`, { text: "First" });
  assert.equal(await unread(), 1);

  assert.deepEqual(await following("muted"), { state: "muted", isFollowing: false });
  assert.deepEqual(await titles(mel, "followed"), []);
  await ada("POST", `/tickets/${ticketId}/comments`, { text: "Second" });
  assert.equal(await unread(), 1);
  await ada("POST", `/tickets/${ticketId}/comments`, { text: "@Mel Acme", mentionedUserIds: [melId] });
  assert.equal(await unread(), 2);
  assert.deepEqual(await following("automatic"), { state: "automatic", isFollowing: false });
});

test("a ticket of another organisation cannot be watched or seen", async () => {
  await using lodge = await startService();
  const { ada, file } = await world(lodge);
  const ticketId = await file(ada, { title: "Secret" });
  const eve = await signedIn(lodge, "eve@umbra.test");
  assert.equal((await eve("GET", `/tickets/${ticketId}/following`)).body.error, "ticket_not_found");
  assert.equal(
    (await eve("PATCH", `/tickets/${ticketId}/following`, { state: "watching" })).body.error,
    "ticket_not_found",
  );
  assert.deepEqual((await eve("GET", "/work?show=followed")).body.cards, []);
});
