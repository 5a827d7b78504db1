import assert from "node:assert/strict";
import { test } from "node:test";
import { getTicket } from "@lodge/contract/calls.generated";
import { signedIn, twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { until } from "../../server/src/testing/until.ts";
import { withTask } from "../src/board/ticket/tasks.ts";
import { openAs, startBrowser } from "./browser.ts";

test("ticking a task changes nothing else in the text", () => {
  assert.equal(withTask("a\r\n- [ ] b [ ]\r\n- [ ] c", 1, true), "a\r\n- [x] b [ ]\r\n- [ ] c");
  assert.equal(withTask("> 1. [X] a\n\n", 0, false), "> 1. [ ] a\n\n");
  assert.equal(withTask("- [ ] a", 7, true), "- [ ] a");
});

test("anyone can tick the tasks of a description, only authors those of their comments, and the card counts the former", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { acme } = await twoOrganisations(lodge);
  const mel = await signedIn(lodge, "mel@acme.test");
  const grace = await signedIn(lodge, "grace@acme.test");
  const description = "- [x] one\n- [ ] **two**";
  const { body } = await lodge.fileTicket(acme.tokens[0]?.secret, { title: "Listed", description });
  const params = { ticketId: String(body.id) };
  await mel("POST", `/tickets/${body.id}/comments`, { text: "- [ ] mine" });
  await grace("POST", `/tickets/${body.id}/comments`, { text: "- [ ] hers" });
  const { page, problems } = await browser.open(lodge.url);
  await openAs(page, lodge, "mel@acme.test");
  await page.goto(`/tickets/${body.id}`);
  await page.getByText("1/2", { exact: true }).waitFor();
  await page.getByRole("checkbox", { name: "two" }).press("Space");
  await page.getByText("2/2", { exact: true }).waitFor();
  await until(async () => (await mel.call(getTicket, { params })).description === "- [x] one\n- [x] **two**");
  await page.getByRole("checkbox", { name: "hers", disabled: true }).waitFor();
  await page.getByRole("checkbox", { name: "mine", checked: false }).click();
  await page.getByRole("checkbox", { name: "mine", checked: true }).waitFor();
  await until(async () => {
    const { comments } = (await mel("GET", `/tickets/${body.id}/comments`)).body as { comments: { text: string }[] };
    return comments[0]?.text === "- [x] mine";
  });
  assert.deepEqual(problems, []);
});
