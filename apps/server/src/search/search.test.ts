import assert from "node:assert/strict";
import { test } from "node:test";
import { searchCards } from "@lodge/contract/calls.generated";
import { signedIn, twoOrganisations, visitor } from "../testing/dashboard-client.ts";
import { startService } from "../testing/start-service.ts";

test("cards of every board are found by title and description, and none of another organisation", async () => {
  await using lodge = await startService();
  const { acme, umbra } = await twoOrganisations(lodge);
  const filler = "lorem ipsum ".repeat(300);
  const ada = await signedIn(lodge, "ada@acme.test");
  const [web, mobile] = acme.projects;
  const token = acme.tokens[0]?.secret;
  await ada("PATCH", `/tokens/${acme.tokens[0]?.id}`, { scope: "all" });
  for (const [projectId, title, description] of [
    [web?.id, "Needle in the title", "hay"],
    [mobile?.id, "In the long text", `${filler}the NEEDLE${filler}`],
    [web?.id, "In the short text", "a needle in the hay"],
    [web?.id, "100%_sure", ""],
    [web?.id, "Nothing", filler],
  ]) {
    const { status, text } = await lodge.fileTicket(token, { projectId, title, description });
    assert.equal(status, 201, text);
  }
  await lodge.fileTicket(umbra.tokens[0]?.secret, { title: "needle of Umbra" });
  const mel = await signedIn(lodge, "mel@acme.test");
  const search = async (text: string) => {
    const { cards } = await mel.call(searchCards, { query: { text } });
    return cards.map(({ title }) => title);
  };
  assert.deepEqual(await search("nEEdle"), ["Needle in the title", "In the short text", "In the long text"]);
  assert.deepEqual(await search("%_s"), ["100%_sure"]);
  assert.deepEqual(await search("n_edle"), []);
  const [found] = (await mel.call(searchCards, { query: { text: "long text" } })).cards;
  assert.deepEqual([found?.project.name, found?.board.name, found?.column.name], ["Mobile", "Inbox", "Backlog"]);
  assert.equal((await mel("GET", "/search?text=")).status, 400);
  assert.equal((await visitor(lodge)("GET", "/search?text=needle")).status, 401);
});
