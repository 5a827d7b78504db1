import assert from "node:assert/strict";
import { after, test } from "node:test";
import { changeTicket, readNotices } from "@lodge/contract/calls.generated";
import type { Locator, Page } from "playwright-core";
import { password, signedIn, twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { eventually, until } from "../../server/src/testing/until.ts";
import { openAs, startBrowser } from "./browser.ts";
import { hold } from "./hold.ts";
import { makePng } from "./png.ts";

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const lodge = stack.use(await startService());
const browser = stack.use(await startBrowser());
const { acme } = await twoOrganisations(lodge);
const [board] = acme.projects[0]?.boards ?? [];

async function file(ticket: Record<string, unknown>): Promise<string> {
  const { status, body, text } = await lodge.fileTicket(acme.tokens[0]?.secret, ticket);
  assert.equal(status, 201, text);
  return String(body.id);
}

/** A page opened by Mel, a member. */
async function openPage(path: string) {
  const opened = await browser.open(lodge.url, { viewport: { width: 1440, height: 900 } });
  await openAs(opened.page, lodge, "mel@acme.test");
  await opened.page.goto(path);
  return opened;
}

/** Waits until a field has a value, since drafts and saved texts load after it. */
const says = (field: Locator, text: string) => eventually(async () => assert.equal(await field.inputValue(), text));
/** Waits until a field of a new dialog or form has the focus. */
const hasFocus = (page: Page, field: Locator) => page.locator(":focus").and(field).waitFor();
const focused = (page: Page, property: string) => page.evaluate(`document.activeElement.${property}`);

test("with a card open beside the board, one click opens another card; after Escape, going back reopens none", async () => {
  await file({ title: "Beside one" });
  await file({ title: "Beside two" });
  const { page, problems } = await openPage("/projects");
  await page.getByRole("main").getByRole("link", { name: "Inbox" }).first().click();
  await page.locator("h1:focus").waitFor(); // a new page takes the focus
  await page.getByRole("link", { name: "Beside one" }).focus();
  await page.evaluate(`{
    globalThis.leavesSpace = [];
    const root = document.documentElement;
    new MutationObserver(() => leavesSpace.push("cardBeside" in root.dataset)).observe(root, { attributeFilter: ["data-card-beside"] });
    // When Enter is released, the card must have the focus, so that it gets the next key.
    document.addEventListener("keyup", () => { globalThis.atKeyUp = document.activeElement.getAttribute("role"); }, { once: true });
  }`);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Beside one" }).waitFor();
  assert.equal(await page.evaluate("atKeyUp"), "dialog");
  const marksAsCurrent = (...boards: string[]) =>
    eventually(async () => {
      const marked = page.locator("nav a[href^='/boards/'][aria-current=page]");
      assert.deepEqual(await marked.evaluateAll((links) => links.map(String)), boards);
    });
  await marksAsCurrent(`${lodge.url}/boards/${board?.id}`);
  await page.getByRole("link", { name: "Beside two" }).click();
  await page.getByRole("dialog", { name: "Beside two" }).getByText("Filed by").waitFor();
  assert.deepEqual(
    await page.evaluate("[...new Set(leavesSpace)]"),
    [true],
    "the board keeps the space for the card while the next one opens",
  );
  await page.getByRole("main").click({ position: { x: 300, y: 600 } });
  await page.getByRole("dialog", { name: "Beside two" }).waitFor(); // the click outside went to the board
  await page.keyboard.press("Escape");
  await page.waitForURL(/\/boards\//);
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await eventually(async () => assert.equal(await focused(page, "textContent"), "Beside two"));
  await page.goBack();
  await page.getByRole("heading", { name: "Projects and boards" }).waitFor();
  await marksAsCurrent();
  assert.deepEqual(problems, []);
});

test("a change shows before the server responds, and never flips back", async () => {
  const id = await file({ title: "Slow going" });
  const { page, problems } = await openPage(`/tickets/${id}`);
  const title = page.getByLabel("Title");
  const saving = await hold(page, "PATCH", /\/tickets\/[^/]+$/);
  await page.getByRole("dialog").getByRole("combobox", { name: "Priority" }).click();
  await page.getByRole("option", { name: "High" }).click();
  await page.getByRole("combobox", { name: "Priority: High" }).waitFor();
  await page.evaluate(
    "window.seen = []; new MutationObserver(() => seen.push(document.querySelector('[aria-label=Title]')?.value))" +
      ".observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })",
  );
  await title.fill("Fast going");
  await title.press("Enter");
  await page.getByRole("dialog", { name: "Fast going" }).waitFor();
  saving.release();
  await page.getByText("changed the title from “Slow going” to “Fast going”").waitFor();
  const seen = (await page.evaluate("seen")) as string[];
  assert.equal(seen.lastIndexOf("Slow going") < seen.indexOf("Fast going") || !seen.includes("Slow going"), true);
  await says(title, "Fast going");
  assert.deepEqual(problems, []);
});

test("assigning the agent shows its cost, and unassigning it ends the wait", async () => {
  const id = await file({ title: "For the agent" });
  const { page, problems } = await openPage(`/tickets/${id}`);
  const assign = async (name: string | RegExp) => {
    await page.getByRole("dialog").getByRole("combobox", { name: "Assignee" }).click();
    await page.getByRole("option", { name }).click();
  };
  await assign("Agent uses 1 credit");
  const waits = page.getByText("The agent will start soon. The run uses one credit.");
  await waits.waitFor();
  await assign("Nobody");
  await waits.waitFor({ state: "detached" });
  assert.deepEqual(problems, []);
});

test("Markdown is rendered, logs keep their line breaks and indentation, and links to forges and CI servers get short labels", async () => {
  const trace = ["TypeError: price of undefined", "    at basket (basket.ts:10:3)", "    at page (page.ts:2:1)"];
  const description = [
    "The build is **red**, see https://ci.example.test/acme/shop/runs/4812 and",
    "https://git.example.test/acme/shop/pull/7.",
    "",
    ...trace,
    "",
    "```",
    ...Array.from({ length: 40 }, (_, line) => `line ${line + 1}`),
    "```",
    "| browser | result |",
    "| --- | --- |",
    "| firefox | red |",
  ].join("\n");
  const { page, problems } = await openPage(`/tickets/${await file({ title: "Red", description })}`);
  await page.locator("strong", { hasText: "red" }).waitFor();
  await page.getByRole("link", { name: "Run #4812 · acme/shop" }).waitFor();
  await page.getByRole("link", { name: "Pull request #7 · acme/shop" }).waitFor();
  await eventually(async () => assert.equal(await page.locator("pre").first().innerText(), trace.join("\n")));
  await page.getByRole("cell", { name: "firefox" }).waitFor();
  const log = page.locator("pre").nth(1);
  await eventually(async () => assert.equal((await log.innerText()).split("\n").length, 30));
  await page.getByRole("button", { name: "Show all 40 lines" }).click();
  await log.getByText("line 40").waitFor();
  assert.deepEqual(problems, []);
});

test("untrusted text is never rendered as HTML, and 20,000 nested elements are shown", async () => {
  const hostile = [
    "<script>window.owned = 1</script><img src=x onerror='window.owned = 1'>",
    "[click](javascript:window.owned=1) [data](data:text/html,<script>1</script>) <javascript:owned=1>",
    "![picture](https://tracker.example.test/pixel.png) [proto](//evil.example.test) [file](file:///etc/passwd)",
    "[a]: javascript:owned=1",
    "",
    "[a] &lt;b&gt; \u202Eright to left",
  ].join("\n");
  const { page, problems } = await openPage(`/tickets/${await file({ title: "Hostile", description: hostile })}`);
  await page.getByRole("link", { name: "picture" }).waitFor(); // Markdown is loaded, and an external image is a link
  const schemes = await page
    .getByRole("dialog")
    .locator("a")
    .evaluateAll((links) => links.map((link) => (link as unknown as { protocol: string }).protocol));
  assert.deepEqual([...new Set(schemes)], ["https:"]);
  assert.equal(await page.evaluate("document.querySelectorAll('[role=dialog] :is(img, script, iframe)').length"), 0);
  assert.equal(await page.evaluate("window.owned"), undefined);

  for (const [title, description] of [
    ["Quotes", ">".repeat(20_000)],
    ["Lists", "- ".repeat(9_000)],
    ["Brackets", "[".repeat(20_000)],
    ["Stars", "*a **b ".repeat(2_800)],
    ["Ticks", `${"`".repeat(200)} a `.repeat(98)],
  ] as const) {
    await page.goto(`/tickets/${await file({ title, description })}`);
    await page.getByRole("dialog", { name: title }).getByText("filed the card").waitFor();
    await page.getByRole("button", { name: "Edit the description" }).click();
    await says(page.getByRole("textbox", { name: "Description" }), description);
    await page.getByRole("button", { name: "Discard" }).click();
  }
  assert.deepEqual(problems, []);
});

test("a blank title can be clicked, and a right-to-left title is shown as such", async () => {
  // Blank titles were allowed in the past.
  await lodge.deps.pool.query("update tickets set title = $2 where id = $1", [
    await file({ title: "t" }),
    "\u200B\u2060",
  ]);
  await file({ title: "שלום Lodge" });
  const { page, problems } = await openPage(`/boards/${board?.id}`);
  await page.getByText("שלום Lodge").waitFor();
  const directionOfFirst = "getComputedStyle(document.querySelector('li[data-card] a span')).direction";
  await eventually(async () => assert.equal(await page.evaluate(directionOfFirst), "rtl"));
  await page.getByRole("link", { name: "(no title)" }).click();
  await page.getByRole("dialog", { name: "(no title)" }).waitFor();
  await eventually(async () =>
    assert.equal(await page.getByRole("textbox", { name: "Title" }).getAttribute("placeholder"), "No title"),
  );
  assert.deepEqual(problems, []);
});

test("at 360 px the comment box and the fields fit on the first screen", async () => {
  const id = await file({ title: "On a telephone", description: "A line.\n\n".repeat(80) });
  const { page } = await openPage(`/tickets/${id}`);
  await page.setViewportSize({ width: 360, height: 740 });
  for (const shown of [
    page.getByLabel("Write a comment"),
    page.getByRole("dialog").getByRole("combobox", { name: "Assignee" }),
  ]) {
    await until(async () => {
      const box = await shown.boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= 740 && box.x + box.width <= 360;
    });
  }
});

test("every dialog focuses its first field, Enter confirms it, and Escape returns the focus", async () => {
  const ada = await browser.open(lodge.url);
  const { page, problems } = ada;
  await openAs(page, lodge, "ada@acme.test");
  await page.goto("/projects");
  await page.getByRole("button", { name: "New project" }).click();
  await hasFocus(page, page.getByRole("dialog").getByRole("textbox"));
  // The warning about a second project is not shown, since there are two projects already.
  await page.getByText("requests with the token").waitFor({ state: "detached" });
  await page.keyboard.type("Typed at once");
  await page.keyboard.press("Enter");
  const project = page.getByRole("region", { name: "Typed at once" });
  await project.getByRole("button", { name: "Actions for the project" }).click();
  await page.getByRole("menuitem", { name: "Use in the API" }).click();
  await page.getByRole("region", { name: "File a ticket from a terminal" }).getByText('"projectId":').waitFor();
  await page.keyboard.press("Escape");
  await project.getByRole("button", { name: "Actions for the project" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("alertdialog").locator("button:focus").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("alertdialog").waitFor({ state: "detached" });
  await project.waitFor({ state: "detached" });

  await page.goto("/members");
  await page.getByRole("button", { name: "Invite" }).click();
  await hasFocus(page, page.getByRole("dialog").getByRole("textbox"));
  await page.keyboard.type("new@acme.test");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await eventually(async () => assert.equal(await focused(page, "textContent"), "Invite"));
  await page.getByRole("button", { name: "Actions for Mel Acme" }).click();
  await page.getByRole("menuitem", { name: "Use in the API" }).click();
  const mel = await signedIn(lodge, "mel@acme.test");
  const { user } = (await mel("GET", "/session")).body as { user: { id: string } };
  await page.getByText(user.id, { exact: true }).waitFor();
  assert.deepEqual(problems, []);
});

test("saving does not silently overwrite another person's title or description", async () => {
  const id = await file({ title: "Ours", description: "One\nTwo" });
  const { page, problems } = await openPage(`/tickets/${id}`);
  const grace = await signedIn(lodge, "grace@acme.test");
  /** Makes Grace save just before this page's request arrives. */
  const saveAsGraceFirst = async (body: object) => {
    let isFirst = true;
    await page.route("**/api/dashboard/tickets/*", async (route) => {
      if (isFirst && route.request().method() === "PATCH") {
        isFirst = false;
        await grace("PATCH", `/tickets/${id}`, body);
      }
      await route.fallback();
    });
  };
  await saveAsGraceFirst({ description: "One\nTheirs" });
  await page.getByRole("button", { name: "Edit the description" }).click();
  await page.getByRole("textbox", { name: "Description" }).fill("One\nMine");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Not saved: the text was changed in the meantime").waitFor();
  await page.getByRole("region", { name: "Their changes" }).getByText("Added: Theirs").waitFor();
  await page.getByRole("button", { name: "Replace theirs" }).click();
  await page.getByText("Mine", { exact: true }).waitFor();

  const differences = page.getByRole("button", { name: "Show changes" });
  await differences.nth(1).click();
  const difference = page.getByRole("region", { name: "Changes to the description" });
  await difference.getByText("Removed: Theirs").waitFor();
  await difference.getByText("Added: Mine").waitFor();

  await saveAsGraceFirst({ title: "Theirs" });
  await page.getByRole("textbox", { name: "Title" }).fill("Mine");
  await page.keyboard.press("Enter");
  await page.getByText("Grace Acme changed the title to “Theirs” while you were editing it.").waitFor();
  await says(page.getByRole("textbox", { name: "Title" }), "Mine");
  await page.getByRole("button", { name: "Replace theirs with your title" }).click();
  await page.getByText("changed the title from “Theirs” to “Mine”").waitFor();
  assert.deepEqual(problems, []);
});

test("authors edit and delete their own comments, and an owner deletes anyone's", async () => {
  const id = await file({ title: "Talk" });
  const grace = await signedIn(lodge, "grace@acme.test");
  await grace("POST", `/tickets/${id}/comments`, { text: "From Grace" });
  const { page, problems } = await openPage(`/tickets/${id}`);
  await page
    .getByRole("dialog", { name: "Talk" })
    .getByText(/^WEB-\d+ Web/)
    .waitFor();
  await page.getByText("From Grace").waitFor();
  assert.equal(
    await page.getByRole("button", { name: /Actions for .*comment/ }).count(),
    0,
    "a member cannot edit or delete another person's comment",
  );
  await page.getByLabel("Write a comment").fill("Frist");
  await page.keyboard.press("Control+Enter");
  const actions = page.getByRole("button", { name: "Actions for your comment" });
  await actions.click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  const field = page.getByLabel("Edit your comment");
  await field.fill("First");
  await page.keyboard.press("Escape");
  await page.getByText("Your changes to this comment are not saved.").waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Keep editing" }).click();
  await says(field, "First");
  await field.press("Control+Enter");
  await page.getByRole("listitem").getByText("First").waitFor();
  await page.getByText(/, edited/).waitFor();
  await actions.click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("alertdialog").locator("button:focus").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("First").waitFor({ state: "detached" });

  const ada = await browser.open(lodge.url);
  await openAs(ada.page, lodge, "ada@acme.test");
  await ada.page.goto(`/tickets/${id}`);
  await ada.page.getByRole("button", { name: "Actions for the comment by Grace Acme" }).click();
  await ada.page.getByRole("menuitem", { name: "Delete" }).waitFor();
  assert.equal(await ada.page.getByRole("menuitem", { name: "Edit" }).count(), 0);
  await ada.page.getByRole("menuitem", { name: "Delete" }).click();
  await ada.page.getByRole("button", { name: "Delete the comment" }).click();
  await page.getByText("From Grace").waitFor({ state: "detached" });
  assert.deepEqual([...problems, ...ada.problems], []);
});

test("a new comment is scrolled into view, and a typed label is kept when the picker closes", async () => {
  const id = await file({ title: "Long", description: "A line.\n\n".repeat(100) });
  const { page, problems } = await openPage(`/tickets/${id}`);
  await page.getByText("A line.").last().waitFor();
  await page.getByLabel("Write a comment").fill("Down here");
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  const comment = page.getByRole("listitem").filter({ hasText: "Down here" });
  await until(() =>
    comment.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      const panel = element.closest(".card-panel")?.getBoundingClientRect();
      return panel !== undefined && top >= panel.top && bottom <= panel.bottom;
    }),
  );
  const picker = page.getByRole("combobox", { name: "Find or create a label" });
  await page.getByRole("button", { name: "Add label" }).click();
  await picker.fill("typed");
  await page.getByLabel("Write a comment").click();
  await page.getByRole("button", { name: "“typed” not added" }).click();
  await page.getByRole("option", { name: "Create typed" }).waitFor();
  await picker.press("Enter");
  await page.getByRole("button", { name: "Remove the label typed" }).waitFor();
  await picker.fill("dropped");
  await picker.press("Escape");
  await page.getByRole("button", { name: "Add label" }).click();
  await page.getByRole("option", { name: "typed", exact: true, selected: true }).click();
  await page.getByRole("button", { name: "Remove the label typed" }).waitFor({ state: "detached" });
  await says(picker, "");
  assert.deepEqual(problems, []);
});

test("a title that changes while it is being saved is not reported as changed by somebody else", async () => {
  const { page, problems } = await openPage(`/tickets/${await file({ title: "Old" })}`);
  const field = page.getByRole("textbox", { name: "Title" });
  const saving = await hold(page, "PATCH", /\/tickets\/[^/]+$/);
  await field.fill("New");
  await page.keyboard.press("Enter");
  await saving.asked;
  await field.fill("New title");
  saving.release();
  await page.getByText("changed the title from “Old” to “New”").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("changed the title from “New” to “New title”").waitFor();
  assert.deepEqual(problems, []);
});

test("a description that changes while it is being saved is not reported as changed by somebody else", async () => {
  const { page, problems } = await openPage(`/tickets/${await file({ title: "t", description: "Old text" })}`);
  await page.route(/\/api\/dashboard\/events/, (route) => route.abort()); // so that the history is fetched only after the save
  await page.reload();
  const edit = page.getByRole("button", { name: "Edit the description" });
  const field = page.getByRole("textbox", { name: "Description" });
  const saving = await hold(page, "PATCH", /\/tickets\/[^/]+$/);
  await edit.click();
  await field.fill("New text");
  await page.keyboard.press("Control+Enter");
  await saving.asked;
  await field.fill("New text, and more");
  const useTheirs = page.getByRole("button", { name: "Use theirs" });
  assert.equal(await useTheirs.count(), 0);
  saving.release();
  await page.getByText("changed the description").waitFor();
  await page.reload();
  await page.getByText("Unsaved description.").waitFor();
  await page.getByRole("button", { name: "Keep editing" }).click();
  await says(field, "New text, and more");
  assert.equal(await useTheirs.count(), 0);
  assert.deepEqual(problems, []);
});

test("text added to a comment while it is being saved is kept", async () => {
  const { page, problems } = await openPage(`/tickets/${await file({ title: "Talk" })}`);
  await page.getByLabel("Write a comment").fill("First");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "Actions for your comment" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  const field = page.getByLabel("Edit your comment");
  const saving = await hold(page, "PATCH", /\/comments\/[^/]+$/);
  await field.fill("Second");
  await page.keyboard.press("Control+Enter");
  await saving.asked;
  await field.fill("Second, and more");
  saving.release();
  await page.getByText(/, edited/).waitFor();
  await page.reload();
  await page.getByRole("listitem").getByText("Second").waitFor(); // as it was saved
  await eventually(async () =>
    assert.equal(await page.getByText("Your changes to this comment are not saved.").count(), 1),
  );
  await page.getByRole("button", { name: "Keep editing" }).click();
  await says(field, "Second, and more");
  await field.press("Control+Enter");
  await field.waitFor({ state: "detached" });
  await page.getByRole("listitem").getByText("Second, and more").waitFor();
  assert.deepEqual(problems, []);
});

test("Enter and Escape during input method composition have no other effect", async () => {
  const { page, problems } = await openPage(`/tickets/${await file({ title: "Words", description: "Some" })}`);
  const compose = (field: Locator, key: string) => field.dispatchEvent("keydown", { key, isComposing: true });
  const comment = page.getByLabel("Write a comment");
  await comment.pressSequentially("@Ad");
  await page.getByRole("option", { name: "Ada Acme" }).waitFor();
  await compose(comment, "Enter");
  assert.equal(await comment.inputValue(), "@Ad");
  await compose(comment, "Escape");
  await eventually(async () => assert.equal(await page.getByRole("option", { name: "Ada Acme" }).count(), 1));
  await comment.fill("");

  await page.getByRole("button", { name: "Edit the description" }).click();
  const description = page.getByRole("textbox", { name: "Description" });
  await compose(description, "Escape");
  await description.fill("Some more");
  await description.press("Escape");
  await page.getByText("Unsaved description.").waitFor();

  const title = page.getByRole("textbox", { name: "Title" });
  await title.fill("More words");
  await compose(title, "Escape");
  await page.getByRole("button", { name: "Add label" }).click();
  await page.getByText("changed the title from “Words” to “More words”").waitFor();

  const label = page.getByRole("combobox", { name: "Find or create a label" });
  await compose(label, "Escape");
  await label.fill("ci");
  await page.getByRole("option", { name: "ci" }).first().waitFor();
  await label.press("Enter");
  await page.getByRole("button", { name: "Remove the label ci" }).waitFor();
  await label.press("Escape");

  await page.goto(`/boards/${board?.id}`);
  await page.getByRole("button", { name: "New card in Doing" }).click();
  const field = page.getByLabel("Title of the new card in Doing");
  await compose(field, "Escape");
  await field.fill("Composed");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Composed" }).waitFor();
  assert.deepEqual(problems, []);
});

test("images can be pasted, dropped or chosen from files to add them to a text, which shows them", async () => {
  const { page, problems } = await openPage(`/tickets/${await file({ title: "Pictures" })}`);
  const comment = page.getByLabel("Write a comment");
  const bytes = [...makePng(40, 30)];
  const insertImage = (kind: "paste" | "drop", name: string) =>
    page.evaluate(
      `(() => {
        const field = document.querySelector("#ticket-comment");
        const files = new DataTransfer();
        files.items.add(new File([new Uint8Array(${JSON.stringify(bytes)})], ${JSON.stringify(name)}, { type: "image/png" }));
        const given = { bubbles: true, cancelable: true };
        field.dispatchEvent(${kind === "paste"} ? new ClipboardEvent("paste", { ...given, clipboardData: files }) : new DragEvent("drop", { ...given, dataTransfer: files }));
      })()`,
    );
  await comment.fill("Look:");
  await insertImage("paste", "pasted].png");
  const written = (name: string) => until(async () => (await comment.inputValue()).includes(name));
  await written("![pasted .png](/api/dashboard/images/");
  await insertImage("drop", "dropped.png");
  await written("![dropped.png](");
  const picking = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Add image" }).click();
  await (await picking).setFiles([
    { name: "picked.png", mimeType: "image/png", buffer: makePng(40, 30) },
    { name: "broken.png", mimeType: "image/png", buffer: Buffer.from("no picture") },
  ]);
  await written("![picked.png](");
  await page.getByText("broken.png could not be added.").waitFor();
  await comment.press("Control+Enter");
  for (const name of ["pasted .png", "dropped.png", "picked.png"]) {
    await page.getByRole("img", { name }).waitFor();
    await until(async () => (await page.evaluate(`document.querySelector("img[alt='${name}']").naturalWidth`)) === 40);
  }
  assert.deepEqual(problems, []);
});

test("an image pasted into the draft of a card survives a reload and belongs to the card once it is filed", async () => {
  const { page, problems } = await openPage(`/boards/${board?.id}`);
  const column = board?.columns[1]?.name;
  await page.getByRole("button", { name: `New card in ${column}` }).click();
  await hasFocus(page, page.getByLabel(`Title of the new card in ${column}`));
  await page.keyboard.type("With a picture");
  await page.evaluate(
    `(() => {
      const files = new DataTransfer();
      files.items.add(new File([new Uint8Array(${JSON.stringify([...makePng(40, 30)])})], "shot.png", { type: "image/png" }));
      const given = { bubbles: true, cancelable: true, clipboardData: files };
      document.activeElement.dispatchEvent(new ClipboardEvent("paste", given));
    })()`,
  );
  const description = page.getByLabel(`Description of the new card in ${column}`);
  await until(async () => (await description.inputValue()).includes("![shot.png](/api/dashboard/images/"));
  await page.reload();
  await page.getByRole("button", { name: `New card in ${column}` }).click();
  await description.press("Control+Enter");
  await page.getByRole("link", { name: "With a picture" }).click();
  await page.getByRole("dialog", { name: "With a picture" }).getByRole("img", { name: "shot.png" }).waitFor();
  const shown = `document.querySelector("img[alt='shot.png']").naturalWidth`;
  await until(async () => (await page.evaluate(shown)) === 40);
  const { rows } = await lodge.deps.pool.query(
    "select tickets.title from images join tickets on tickets.id = images.ticket_id where tickets.title = 'With a picture'",
  );
  assert.equal(rows.length, 1);
  assert.deepEqual(problems, []);
});

test("opening a card marks its notifications as read, including those that arrive while it is open", async () => {
  const [grace, mel] = [await signedIn(lodge, "grace@acme.test"), await signedIn(lodge, "mel@acme.test")];
  await grace("POST", "/notices/read", {});
  const [one, other] = [await file({ title: "Told of" }), await file({ title: "Not opened" })];
  const mentionedUserIds = [acme.members[1]?.id ?? ""];
  const say = (id: string) => mel("POST", `/tickets/${id}/comments`, { text: "@Grace Acme look", mentionedUserIds });
  for (const id of [one, one, other]) assert.equal((await say(id)).status, 201);
  const unread = async () => ((await grace("GET", "/notices/count")).body as { unreadCount: number }).unreadCount;
  assert.equal(await unread(), 3);
  const { page, problems } = await browser.open(lodge.url);
  await openAs(page, lodge, "grace@acme.test");
  await page.goto(`/tickets/${one}`);
  await until(async () => (await unread()) === 1);
  await page.getByRole("link", { name: "Notifications 1 unread" }).waitFor();
  await say(one);
  await until(async () => (await unread()) === 1 && (await unreadCountOf(one)) === 0);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.getByLabel("Search cards and commands").fill("Not opened");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Not opened" }).waitFor();
  await until(async () => (await unread()) === 0);
  assert.deepEqual(problems, []);

  async function unreadCountOf(ticketId: string) {
    const { rows } = await lodge.deps.pool.query("select from notices where ticket_id = $1 and read_at is null", [
      ticketId,
    ]);
    return rows.length;
  }
});

test("keys move through unread notifications even as read ones leave the list", async () => {
  const [grace, mel] = [await signedIn(lodge, "grace@acme.test"), await signedIn(lodge, "mel@acme.test")];
  await grace.call(readNotices, { body: {} });
  for (const title of ["Third in line", "Second in line", "First in line"]) {
    const body = { assigneeUserId: acme.members[1]?.id ?? "" };
    await mel.call(changeTicket, { params: { ticketId: await file({ title }) }, body });
  }
  const { page, problems } = await browser.open(lodge.url);
  await openAs(page, lodge, "grace@acme.test");
  await page.goto("/inbox?show=unread");
  const notice = (title: string) => page.getByRole("link", { name: title });
  await notice("Third in line").waitFor();
  await page.keyboard.press("j");
  for (const [read, next] of [
    ["First in line", "Second in line"],
    ["Second in line", "Third in line"],
  ] as const) {
    await page.locator("a:focus").and(notice(read)).waitFor();
    await page.keyboard.press("u");
    await page.locator("a:focus").and(notice(next)).waitFor();
  }
  assert.deepEqual(problems, []);
});

test("mentions appear in notifications immediately and are marked as read by keyboard; people edit their profile", async () => {
  const id = await file({ title: "Needs Ada" });
  const [ada, mel] = [await signedIn(lodge, "ada@acme.test"), await signedIn(lodge, "mel@acme.test")];
  const adaId = acme.members[0]?.id ?? "";
  const { page, problems } = await browser.open(lodge.url);
  await openAs(page, lodge, "ada@acme.test");
  await page.goto("/inbox");
  const notificationsLink = page
    .getByRole("navigation", { name: "Lodge" })
    .getByRole("link", { name: /^Notifications/ })
    .first();
  await notificationsLink.waitFor();
  await mel("POST", `/tickets/${id}/comments`, { text: "@Ada Acme look here", mentionedUserIds: [adaId] });
  await page.getByText("look here").waitFor();
  await ada("PATCH", `/tickets/${await file({ title: "For Ada" })}`, { assigneeUserId: null });
  await mel("PATCH", `/tickets/${await file({ title: "Yours now" })}`, { assigneeUserId: adaId });
  await page.getByRole("link", { name: "Notifications 2 unread" }).waitFor();
  await page.getByRole("link", { name: /Yours now/ }).waitFor(); // the count may update before the list
  await page.getByRole("heading", { name: "Notifications", exact: true }).focus();
  await page.keyboard.press("j");
  await page.keyboard.press("u");
  await page.getByRole("link", { name: "Notifications 1 unread" }).waitFor();
  await page.getByRole("button", { name: "Mark “Yours now” as unread" }).waitFor();
  await page.getByRole("link", { name: "Unread (1)" }).click();
  await page.getByText("Yours now").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Needs Ada" }).waitFor();
  await page.getByRole("heading", { name: "Notifications", exact: true }).focus();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Needs Ada" }).waitFor();
  await page.getByRole("link", { name: /unread$/ }).waitFor({ state: "detached" });

  await page.goto("/profile");
  await page.getByLabel("Your name").fill("Ada B. Acme");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Ada B. Acme account menu" }).waitFor();
  await eventually(async () =>
    assert.equal(await page.getByLabel("Somebody mentions you: by e-mail").isDisabled(), true),
  );
  await page.getByLabel("Slack incoming webhook").fill("https://hooks.slack.test/services/x");
  await page.keyboard.press("Enter");
  const chosen = page.waitForResponse((answer) => answer.request().postData()?.includes("mentioned") ?? false);
  await page.getByLabel("Somebody mentions you: to Slack").click();
  await chosen;
  await page.reload();
  await page.getByLabel("Somebody mentions you: to Slack").and(page.locator(":checked")).waitFor();
  const third = await signedIn(lodge, "ada@acme.test");
  await page.reload();
  const sessions = page.getByRole("list", { name: "Sessions" }).getByRole("listitem");
  await sessions.nth(2).waitFor();
  const last = sessions.nth((await sessions.count()) - 1);
  await sessions
    .first()
    .getByRole("button", { name: /^Sign out/ })
    .click();
  await last.waitFor({ state: "detached" });
  assert.equal((await third("GET", "/session")).status, 401);
  await page.getByRole("button", { name: "Sign out everywhere else" }).click();
  await page.getByText("You are signed out everywhere else", { exact: true }).waitFor();
  assert.equal((await ada("GET", "/session")).status, 401);
  await page.getByLabel("Current password").fill(password);
  await page.getByLabel("New password").fill("a new and long enough password");
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Password changed").waitFor();
  await page.getByRole("link", { name: "Notifications" }).first().click();
  await page.getByRole("heading", { name: "Notifications", exact: true }).waitFor();
  assert.deepEqual(problems, []);
});
