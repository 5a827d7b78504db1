import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  changeComment,
  changeProfile,
  changeTicket,
  deleteComment,
  getTicket,
  listActivities,
  listComments,
  listLabels,
  listMembers,
  readTexts,
  removeMember,
  viewBoard,
  writeComment,
} from "@lodge/contract/calls.generated";
import { type DashboardClient, signedIn } from "../../testing/dashboard-client.ts";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { startService } from "../../testing/start-service.ts";

const lodge = await startService({ LODGE_TICKET_RATE_PER_MINUTE: "10000" });
after(() => lodge[Symbol.asyncDispose]());

/** A ticket, and clients of Ada, the owner of its organisation, and of its member Mel. */
async function ticket(fields: object = {}) {
  const acme = await makeOrganisation(lodge);
  await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    members: [{ email: `mel@${acme.slug}.test`, name: "Mel", role: "member" }],
  });
  const ada = await signedIn(lodge, `ada@${acme.slug}.test`);
  const mel = await signedIn(lodge, `mel@${acme.slug}.test`);
  const { body } = await lodge.fileTicket(acme.tokens.web, { title: "Old", description: "one\ntwo", ...fields });
  const ticketId = String(body.id);
  return { acme, ada, mel, ticketId, params: { ticketId }, path: `/tickets/${ticketId}` };
}

test("a saved text names the version it was based on, so that unseen changes are not overwritten", async () => {
  const { ada, mel, params, path } = await ticket();
  const basedOn = { title: "Old", description: "one\ntwo" };
  await ada.call(changeTicket, { params, body: { description: "one\n2", basedOn } });
  const late = await mel("PATCH", path, { description: "1\ntwo", title: "New", basedOn });
  assert.equal(late.status, 409);
  assert.deepEqual([late.body.error, late.body.current], ["text_changed", { title: "Old", description: "one\n2" }]);
  assert.equal((await mel.call(getTicket, { params })).title, "Old", "none of it is saved");
  const other = await mel.call(changeTicket, { params, body: { title: "New", basedOn } });
  assert.deepEqual(
    [other.title, other.description],
    ["New", "one\n2"],
    "a change to the description does not conflict with a change to the title",
  );
  await mel.call(changeTicket, { params, body: { description: "one\n2", basedOn } });
  const current = { description: "one\n2" };
  assert.equal(
    (await mel.call(changeTicket, { params, body: { description: "1\n2", basedOn: current } })).description,
    "1\n2",
  );
  assert.equal(
    (await mel.call(changeTicket, { params, body: { description: "x" } })).description,
    "x",
    "without basedOn, nothing is compared",
  );
  for (const refused of [{ basedOn: { priority: "low" } }, { basedOn: null }]) {
    assert.equal((await mel("PATCH", path, { title: "t", ...refused })).body.error, "invalid_input");
  }
});

test("the history keeps the previous texts, at most the latest forty", async () => {
  const { mel, params } = await ticket();
  await mel.call(changeTicket, { params, body: { description: "one", title: "New" } });
  const [entry] = (await mel.call(listActivities, { params, query: {} })).activities;
  const activityId = entry?.id ?? "";
  assert.deepEqual((await mel.call(readTexts, { params: { ...params, activityId } })).texts, [
    { field: "title", before: "Old", after: "New" },
    { field: "description", before: "one\ntwo", after: "one" },
  ]);
  for (let version = 0; version < 40; version++) {
    await mel.call(changeTicket, { params, body: { description: `${version}` } });
  }
  const gone = await mel("GET", `/tickets/${params.ticketId}/activities/${activityId}/texts`);
  assert.deepEqual([gone.status, gone.body.error], [404, "text_not_found"]);
});

test("authors change and delete their comments, and admins delete them", async () => {
  const { ada, mel, params, path, acme } = await ticket();
  const write = (client: DashboardClient, text: string) => client.call(writeComment, { params, body: { text } });
  const [mels, adas] = [await write(mel, "by mel"), await write(ada, "by ada")];
  const at = (commentId: string) => ({ params: { ...params, commentId } });
  const changed = await mel.call(changeComment, {
    ...at(mels.id),
    body: { text: "@Ada look", mentionedUserIds: [acme.memberUserId] },
  });
  assert.deepEqual([changed.text, changed.mentions.length, changed.createdAt], ["@Ada look", 1, mels.createdAt]);
  assert.ok(changed.editedAt);
  assert.equal((await ada("PATCH", `${path}/comments/${mels.id}`, { text: "x" })).body.error, "forbidden");
  assert.equal((await mel("DELETE", `${path}/comments/${adas.id}`)).body.error, "forbidden");
  assert.equal((await mel("PATCH", `${path}/comments/${mels.id}`, { text: "\u200b" })).body.error, "invalid_input");
  await ada.call(deleteComment, at(mels.id));
  await ada.call(deleteComment, at(adas.id));
  assert.deepEqual((await mel.call(listComments, { params, query: {} })).comments, []);
  assert.equal((await mel("DELETE", `${path}/comments/${mels.id}`)).body.error, "comment_not_found");
});

test("a comment can be changed even if a mentioned person has left or been renamed", async () => {
  const { ada, mel, params, path, acme } = await ticket();
  const kimsEmail = `kim@${acme.slug}.test`;
  await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    members: [{ email: kimsEmail, name: "Kim", role: "member" }],
  });
  const { members } = await ada.call(listMembers);
  const kimsId = members.find(({ email }) => email === kimsEmail)?.userId ?? "";
  const mentionedUserIds = [acme.memberUserId, kimsId];
  const { id, mentions } = await mel.call(writeComment, {
    params,
    body: { text: "@Ada and @Kim, look", mentionedUserIds },
  });
  await ada.call(removeMember, { params: { userId: kimsId } });
  await ada.call(changeProfile, { body: { name: "Ada L." } });
  const at = { params: { ...params, commentId: id } };
  const body = { text: "@Ada and @Kim, look here", mentionedUserIds };
  assert.deepEqual((await mel.call(changeComment, { ...at, body })).mentions, mentions);
  const fewer = await mel.call(changeComment, {
    ...at,
    body: { text: "@Ada, look", mentionedUserIds: [acme.memberUserId] },
  });
  assert.deepEqual(fewer.mentions, [{ id: acme.memberUserId, name: "Ada" }]);
  const again = await mel("PATCH", `${path}/comments/${id}`, body);
  assert.equal(again.body.error, "not_a_member", "a person who has left is not mentioned again");
});

test("every endpoint refuses a title, name or label of only invisible characters", async () => {
  const { acme, ada, path } = await ticket();
  const blanks = [" ", "\t\n", "\u200b\u200d", "\u00a0\u2003", "\ufeff", "\u202e", "\u3164", "\u2800", "\u0301"];
  for (const blank of blanks) {
    const name = JSON.stringify(blank);
    const filed = await lodge.fileTicket(acme.tokens.web, { title: blank });
    assert.equal(filed.body.error, "invalid_input", name);
    assert.deepEqual(filed.body.details, [{ path: "/title", message: "must have a visible character" }]);
    const columnId = acme.web.inbox.backlogId;
    const answers = [
      await ada("POST", "/tickets", { title: blank, columnId }),
      await ada("PATCH", path, { title: blank }),
      await ada("PATCH", path, { labels: [blank] }),
      await ada("POST", "/boards", { projectId: acme.web.id, name: blank }),
      await ada("POST", `${path}/comments`, { text: blank }),
    ];
    assert.deepEqual([...new Set(answers.map(({ body }) => body.error))], ["invalid_input"], name);
  }
  for (const title of ["é", "👩‍🚀", "  x", "ﷺ", "\u202eabc", "0"]) {
    assert.equal((await lodge.fileTicket(acme.tokens.web, { title })).status, 201, title);
  }
});

test("labels are listed, and boards are filtered by label and by author", async () => {
  const { acme, mel, path } = await ticket({ labels: ["ci", "a"] });
  await mel("POST", "/tickets", { title: "Mine", columnId: acme.web.inbox.backlogId, labels: ["b"] });
  await lodge.fileTicket((await makeOrganisation(lodge)).tokens.web, { title: "t", labels: ["theirs"] });
  assert.deepEqual(
    (await mel.call(listLabels, { query: {} })).labels.map(({ name }) => name),
    ["a", "b", "ci"],
  );
  const titles = async (query: object) => {
    const { columns } = await mel.call(viewBoard, { params: { boardId: acme.web.inbox.id }, query });
    return columns.flatMap(({ cards }) => cards.map(({ title }) => title)).join(" ");
  };
  assert.equal(await titles({ label: "ci" }), "Old");
  assert.equal(await titles({ label: "c" }), "");
  const session = (await mel("GET", "/session")).body.user as { id: string };
  assert.equal(await titles({ author: session.id }), "Mine");
  assert.equal(await titles({ author: session.id, text: "old" }), "");
  await mel("PATCH", path, { assigneeUserId: acme.agentUserId });
  assert.equal(((await mel("GET", path)).body.run as { state: string }).state, "queued");
  await mel("PATCH", path, { assigneeUserId: null });
  const { state, reason } = (await mel("GET", path)).body.run as { state: string; reason: string };
  assert.deepEqual([state, reason], ["cancelled", "unassigned"], "unassigning the agent cancels its run");
});
