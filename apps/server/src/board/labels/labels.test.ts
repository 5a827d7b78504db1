import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  changeLabel,
  changeTicket,
  deleteLabel,
  listAudit,
  listBoardViews,
  listCards,
  listLabels,
  mergeLabel,
  saveBoardView,
} from "@lodge/contract/calls.generated";
import { defaultLabelColor, labelColorHex } from "@lodge/contract/label-colors";
import { grantToken } from "../../people/tokens/grant-token.ts";
import { signedIn, twoOrganisations, visitor } from "../../testing/dashboard-client.ts";
import { startService } from "../../testing/start-service.ts";
import { finishLabelChanges } from "./finish-label-changes.ts";

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const lodge = stack.use(await startService());
const { acme } = await twoOrganisations(lodge);
const ada = await signedIn(lodge, "ada@acme.test");
const mel = await signedIn(lodge, "mel@acme.test");
const eve = await signedIn(lodge, "eve@umbra.test");
const { id: boardId = "", columns = [] } = acme.projects[0]?.boards[0] ?? {};
const columnId = columns[0]?.id ?? "";

const file = async (labels: string[]) =>
  String((await mel("POST", "/tickets", { title: labels.join(" "), columnId, labels })).body.id);
const labelled = async (label: string) =>
  (await mel.call(listCards, { params: { columnId }, query: { label } })).cards.map(({ labels }) => labels.join());
const named = async (text: string) =>
  (await mel.call(listLabels, { query: { text } })).labels.map(({ name, color }) => `${name} ${color}`);
/** The labels stored on a ticket, which may differ from those shown. */
const stored = async (id: string) =>
  (await lodge.deps.pool.query("select labels from tickets where id = $1", [id])).rows[0].labels;

test("an admin sets a label's color; by default the color depends on the name, in the ticket API too", async () => {
  await file(["color-me"]);
  assert.deepEqual(await named("COLOR-me"), [`color-me ${defaultLabelColor("color-me")}`]);
  await ada.call(changeLabel, { body: { name: "color-me", color: "pink" } });
  assert.deepEqual(await named("color-me"), ["color-me pink"]);
  const { secret } = await grantToken(lodge.deps, "acme", {
    name: "Reader",
    permissions: ["projects:read"],
    projects: "all",
  });
  const { body } = await lodge.request("GET", "/api/v1/labels", { headers: { authorization: `Bearer ${secret}` } });
  const labels = body.labels as { name: string; color: string; tickets: number }[];
  assert.deepEqual(
    labels.find(({ name }) => name === "color-me"),
    { name: "color-me", color: labelColorHex.pink, tickets: 1 },
  );
});

test("a renamed label shows its new name everywhere immediately, and its cards are rewritten afterwards", async () => {
  const id = await file(["old", "kept"]);
  const both = await file(["old", "older"]);
  await mel.call(saveBoardView, { params: { boardId }, body: { name: "Old ones", filter: { label: "old" } } });
  await ada.call(changeLabel, { body: { name: "old", newName: "new", color: "teal" } });
  assert.equal((await ada("PATCH", "/labels", { name: "kept", newName: "older" })).body.error, "label_name_taken");
  assert.equal((await ada("PATCH", "/labels", { name: "kept", newName: "old" })).body.error, "label_name_taken");
  assert.equal((await ada("PATCH", "/labels", { name: "old", color: "red" })).body.error, "label_not_found");
  const assertRenamed = async () => {
    assert.deepEqual(await labelled("new"), ["new,older", "new,kept"]);
    assert.deepEqual(await labelled("old"), []);
    assert.deepEqual(await named("new"), ["new teal"]);
    assert.deepEqual(await named("old"), [`older ${defaultLabelColor("older")}`]);
  };
  await assertRenamed();
  assert.deepEqual(await stored(id), ["old", "kept"]);
  // The new name is shown even if a client still writes the old one.
  await mel.call(changeTicket, { params: { ticketId: both }, body: { labels: ["older", "old"] } });
  await mel.call(changeTicket, { params: { ticketId: both }, body: { labels: ["new", "older"] } });
  await assertRenamed();
  assert.deepEqual((await mel.call(listBoardViews)).views[0]?.filter, { label: "new" });
  const [entry] = (await ada.call(listAudit, { query: {} })).entries;
  assert.deepEqual([entry?.kind, entry?.details], ["label.renamed", { from: "old", to: "new" }]);

  await finishLabelChanges(lodge.deps);
  await assertRenamed();
  assert.deepEqual(await stored(id), ["new", "kept"]);
  await file(["old"]);
  assert.deepEqual(await labelled("old"), ["old"], "after the rewrite, “old” is a new label");
});

test("labels can be merged and deleted, even while an earlier change is still being applied", async () => {
  const id = await file(["bug-1", "defect", "x"]);
  const other = await file(["bug-2"]);
  await file(["defect", "gone"]);
  await ada.call(changeLabel, { body: { name: "bug-1", newName: "bug-2b" } });
  await ada.call(mergeLabel, { body: { name: "bug-2b", into: "defect" } });
  await ada.call(mergeLabel, { body: { name: "bug-2", into: "defect" } });
  await ada.call(deleteLabel, { body: { name: "gone" } });
  const assertMerged = async () => {
    assert.deepEqual(await labelled("defect"), ["defect", "defect", "defect,x"]);
    assert.deepEqual(await labelled("gone"), []);
    assert.deepEqual(await named("bug-"), []);
  };
  await assertMerged();
  assert.equal((await ada("POST", "/labels/merge", { name: "x", into: "gone" })).body.error, "label_not_found");
  assert.equal((await ada("POST", "/labels/merge", { name: "x", into: "x" })).body.error, "invalid_input");
  await finishLabelChanges(lodge.deps);
  await assertMerged();
  assert.deepEqual([await stored(id), await stored(other)], [["defect", "x"], ["defect"]]);
  const { rows } = await lodge.deps.pool.query("select from label_changes");
  assert.equal(rows.length, 0);
});

test("only admins change labels, and labels of other organisations are not found", async () => {
  await file(["ours"]);
  for (const [method, path, body] of [
    ["PATCH", "/labels", { name: "ours", newName: "theirs" }],
    ["POST", "/labels/merge", { name: "ours", into: "kept" }],
    ["POST", "/labels/delete", { name: "ours" }],
  ] as const) {
    assert.deepEqual(
      [(await mel(method, path, body)).status, (await mel(method, path, body)).body.error],
      [403, "forbidden"],
    );
    assert.equal((await eve(method, path, body)).body.error, "label_not_found");
    assert.equal((await visitor(lodge)(method, path, body)).body.error, "not_signed_in");
  }
  assert.deepEqual((await eve.call(listLabels, { query: {} })).labels, []);
  assert.equal((await visitor(lodge)("GET", "/labels")).status, 401);
  assert.deepEqual(await labelled("ours"), ["ours"]);
  for (const body of [{ name: "ours" }, { name: "ours", color: "puce" }, { name: "ours", newName: " " }]) {
    assert.equal((await ada("PATCH", "/labels", body)).body.error, "invalid_input");
  }
});
