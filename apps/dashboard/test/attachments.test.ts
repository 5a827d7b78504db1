import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { after, test } from "node:test";
import { ticketAttachmentBytesMax } from "@lodge/contract/limits";
import { signedIn, twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { eventually } from "../../server/src/testing/until.ts";
import { openAs, startBrowser } from "./browser.ts";

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const lodge = stack.use(await startService());
const browser = stack.use(await startBrowser());
const { acme } = await twoOrganisations(lodge);

/** A card, opened by Mel. */
async function openCard(title: string) {
  const { body } = await lodge.fileTicket(acme.tokens[0]?.secret, { title });
  const opened = await browser.open(lodge.url, { viewport: { width: 1280, height: 900 } });
  await openAs(opened.page, lodge, "mel@acme.test");
  await opened.page.goto(`/tickets/${body.id}`);
  const files = opened.page.getByRole("region", { name: "Attachments" });
  return { ...opened, files, ticketId: String(body.id) };
}

test("files are attached to a card, downloaded unchanged, and deleted", async () => {
  const { page, files, problems } = await openCard("With a log");
  const log = Buffer.from("<b>error</b>: it broke\n");
  const choosing = page.waitForEvent("filechooser");
  await files.getByRole("button", { name: "Attach files" }).click();
  await (await choosing).setFiles([
    { name: "build.log", mimeType: "text/plain", buffer: log },
    { name: "trace <1>.har", mimeType: "application/json", buffer: Buffer.alloc(1_500_000, " ") },
  ]);
  await files.getByRole("link", { name: "trace <1>.har" }).waitFor();
  await eventually(async () =>
    assert.match((await files.getByRole("listitem").allTextContents()).join("\n"), /build\.log23 B · Mel Acme/),
  );
  await files.getByText("1.5 MB").waitFor();
  const downloading = page.waitForEvent("download");
  await files.getByRole("link", { name: "build.log" }).click();
  const download = await downloading;
  assert.equal(download.suggestedFilename(), "build.log");
  assert.deepEqual(await buffer(await download.createReadStream()), log);
  await files.getByRole("button", { name: "Delete build.log" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await files.getByRole("link", { name: "build.log" }).waitFor({ state: "detached" });
  await page.reload();
  await files.getByRole("link", { name: "trace <1>.har" }).waitFor();
  await eventually(async () => assert.equal(await files.getByRole("listitem").count(), 1));
  assert.deepEqual(problems, []);
});

test("a dropped file that is too large is refused, the message names the limit, and the other files are attached", async () => {
  const { page, files } = await openCard("With a dump");
  await files.getByText(/^No attachments/).waitFor();
  await page.evaluate(`{
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([new Uint8Array(${ticketAttachmentBytesMax + 1})], "core.dump"));
    dataTransfer.items.add(new File(["small"], "small.txt"));
    const section = document.querySelector("section[aria-label=Attachments]");
    section.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
  }`);
  await page.getByText("core.dump was not attached: it is larger than 25 MiB.").waitFor();
  await files.getByRole("link", { name: "small.txt" }).waitFor();
  await eventually(async () => assert.equal(await files.getByRole("listitem").count(), 1));
});

test("a file that somebody else attaches shows immediately", async () => {
  const { files, ticketId } = await openCard("Shared");
  await files.getByText(/^No attachments/).waitFor();
  const ada = await signedIn(lodge, "ada@acme.test");
  await lodge.request("POST", `/api/dashboard/tickets/${ticketId}/attachments?filename=hers.pdf`, {
    headers: { cookie: [...ada.cookies].map((pair) => pair.join("=")).join("; ") },
    body: Buffer.from("%PDF"),
  });
  await files.getByRole("link", { name: "hers.pdf" }).waitFor();
});
