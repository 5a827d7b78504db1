import type { BrowserContextOptions, Page } from "playwright-core";
import { password } from "../../server/src/testing/dashboard-client.ts";
import type { Service } from "../../server/src/testing/start-service.ts";
import { until } from "../../server/src/testing/until.ts";
import { type OpenPage, signInOn, type TestBrowser } from "./browser.ts";
import type { LivelyWorld } from "./lively-world.ts";

/** A page of the dashboard as seen by Ada, an owner, by Mel, a member, or by a visitor. */
type KnownPage = {
  name: string;
  as: "ada" | "mel" | "visitor" | "first visitor";
  open: (page: Page, world: LivelyWorld) => Promise<unknown>;
};

const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name }).first().waitFor();

const forgetDrafts = (page: Page) =>
  page.evaluate(
    "for (const key of Object.keys(localStorage)) if (key.startsWith('lodge-draft')) localStorage.removeItem(key)",
  );

/** A browser page for each person in `everyPage`, signed in unless it is the visitor. */
export async function openForEverybody(
  browser: TestBrowser,
  lodge: Service,
  empty: Service,
  options: BrowserContextOptions,
): Promise<Record<KnownPage["as"], OpenPage>> {
  const signIn = async (name: string) => {
    const opened = await browser.open(lodge.url, options);
    await opened.page.goto("/sign-in");
    await signInOn(opened.page, `${name}@acme.test`, password);
    await opened.page.getByText("Nightly build is red").waitFor();
    return opened;
  };
  return {
    ada: await signIn("ada"),
    mel: await signIn("mel"),
    visitor: await browser.open(lodge.url, options),
    "first visitor": await browser.open(empty.url, options),
  };
}

/** Every page and dialog, with the steps that open it and wait until it is complete. */
export const everyPage: KnownPage[] = [
  {
    name: "set-up",
    as: "first visitor",
    open: async (page) => {
      await page.goto("/setup");
      await heading(page, "Set up Lodge");
    },
  },
  {
    name: "sign-in",
    as: "visitor",
    open: async (page) => {
      await page.goto("/sign-in");
      await heading(page, "Sign in to Lodge");
    },
  },
  {
    name: "sign-in-again",
    as: "visitor",
    open: async (page) => {
      await page.goto("/sign-in?lost=true");
      await page.getByText("You were signed out.").waitFor();
      await page.getByText("Forgot password?").click();
    },
  },
  {
    name: "sign-in-organisation",
    as: "visitor",
    open: async (page) => {
      await page.goto("/sign-in");
      await page.getByRole("button", { name: "Sign in with your organisation" }).click();
      await page.getByLabel("Your organisation").waitFor();
    },
  },
  {
    name: "sign-in-provider",
    as: "visitor",
    open: async (page) => {
      await page.goto("/sign-in/acme");
      await page.getByRole("button", { name: "Continue to the provider" }).click();
      await page.getByRole("alert").waitFor();
    },
  },
  {
    name: "invitation",
    as: "visitor",
    open: async (page, { invitationPath }) => {
      await page.goto(invitationPath);
      await heading(page, "Join Acme");
    },
  },
  {
    name: "password",
    as: "visitor",
    open: async (page, { passwordPath }) => {
      await page.goto(passwordPath);
      await heading(page, "Choose a new password");
    },
  },
  {
    name: "board",
    as: "ada",
    open: async (page, { boardId }) => {
      await page.goto(`/boards/${boardId}`);
      await page.getByText("Nightly build is red").waitFor();
    },
  },
  {
    name: "board-filtered",
    as: "ada",
    open: async (page, { boardId }) => {
      await page.goto(`/boards/${boardId}?priority=high`);
      await page.getByText("No cards match the filter").first().waitFor();
    },
  },
  {
    name: "board-filters",
    as: "ada",
    open: async (page, { boardId }) => {
      await page.goto(`/boards/${boardId}?author=token&due=week`);
      await page.getByText("Nightly build is red").waitFor();
      await page.getByRole("button", { name: "Filters 2 set" }).click();
      await page.getByRole("combobox", { name: "Filed by: API tokens" }).waitFor();
    },
  },
  {
    name: "board-selected",
    as: "ada",
    open: async (page, { boardId }) => {
      await page.goto(`/boards/${boardId}`);
      await page.getByText("Nightly build is red").waitFor();
      await page.getByRole("link", { name: "Slow query" }).focus();
      await page.keyboard.press("x");
      await page.keyboard.press("Shift+ArrowDown");
      await page.getByRole("toolbar", { name: "2 cards selected" }).waitFor();
    },
  },
  {
    name: "board-new-card",
    as: "ada",
    open: async (page, { boardId }) => {
      await page.goto(`/boards/${boardId}`);
      await page.getByText("Nightly build is red").waitFor();
      await page.keyboard.press("c");
      await page.locator("textarea:focus").waitFor();
      await page.keyboard.type("A title");
      await page.getByRole("button", { name: "Add a description" }).click();
      await page.getByLabel("Description").waitFor();
      await forgetDrafts(page);
    },
  },
  {
    name: "board-views",
    as: "ada",
    open: async (page, { boardId }) => {
      await page.goto(`/boards/${boardId}?priority=high`);
      await page.getByRole("button", { name: "Actions for this board" }).click();
      await page.getByRole("menuitem", { name: "Manage views" }).click();
      await page.getByRole("button", { name: "Update By programs to the current filter" }).waitFor();
    },
  },
  {
    name: "board-archive",
    as: "ada",
    open: async (page, { boardId }) => {
      await page.goto(`/boards/${boardId}`);
      await page.getByText("Nightly build is red").waitFor();
      await page.getByRole("button", { name: "Actions for this board" }).click();
      await page.getByRole("menuitem", { name: "Archived cards" }).click();
      await page.getByText("No archived cards.").waitFor();
    },
  },
  {
    name: "board-trash",
    as: "ada",
    open: async (page, { boardId }) => {
      await page.goto(`/boards/${boardId}`);
      await page.getByText("Nightly build is red").waitFor();
      await page.getByRole("button", { name: "Actions for this board" }).click();
      await page.getByRole("menuitem", { name: "Trash", exact: true }).click();
      await page.getByRole("button", { name: "Empty the trash", exact: true }).waitFor();
    },
  },
  {
    name: "board-csv",
    as: "ada",
    open: async (page, { boardId }) => {
      await page.goto(`/boards/${boardId}?priority=high`);
      await page.getByRole("button", { name: "Actions for this board" }).click();
      await page.getByRole("menuitem", { name: "Import or export CSV" }).click();
      await page.getByText("No imports.").waitFor();
    },
  },
  {
    name: "board-import",
    as: "ada",
    open: async (page, { boardId }) => {
      await page.goto(`/boards/${boardId}`);
      await page.getByText("Nightly build is red").waitFor();
      await page.getByRole("button", { name: "Actions for this board" }).click();
      await page.getByRole("menuitem", { name: "Import or export CSV" }).click();
      const csv = [
        "Card Name,Card Description,List Name,Labels,Members,Due Date,Card URL",
        'Quarterly report,"Numbers, and what they mean",Somewhere,"finance (green), quarterly-planning",Zoe Zimmer,2026-04-01,https://trello.example.test/c/1',
        `${"A title that is far too long ".repeat(10)},,Backlog,,,01/02/2026,`,
      ].join("\n");
      const file = { name: "trello-export-of-the-marketing-board.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
      await page.getByLabel("CSV file").setInputFiles(file);
      await page.getByText("One line cannot be imported").waitFor();
    },
  },
  {
    name: "board-delete-column",
    as: "ada",
    open: async (page, { boardId }) => {
      await page.goto(`/boards/${boardId}`);
      await page.getByText("Nightly build is red").waitFor();
      await page.getByRole("button", { name: "Actions for the column Backlog" }).click();
      await page.getByRole("menuitem", { name: "Delete", exact: true }).click();
      await page.getByRole("button", { name: "Move and delete", exact: true }).waitFor();
    },
  },
  {
    name: "board-empty",
    as: "ada",
    open: async (page, { emptyBoardId }) => {
      await page.goto(`/boards/${emptyBoardId}`);
      await page.getByText("Waiting for the first card").waitFor();
    },
  },
  {
    name: "board-empty-new-card",
    as: "ada",
    open: async (page, { emptyBoardId }) => {
      await page.goto(`/boards/${emptyBoardId}`);
      await page.getByRole("button", { name: "New card", exact: true }).click();
      await page.getByLabel("Title of the new card in Planned").waitFor();
    },
  },
  {
    name: "card",
    as: "ada",
    open: async (page, { ticketId }) => {
      await page.goto(`/tickets/${ticketId}`);
      await page.getByText("I take it out today").waitFor();
      await page.getByText("filed the card").waitFor();
      await page.locator("pre").waitFor(); // Markdown is loaded
    },
  },
  {
    name: "card-labels",
    as: "ada",
    open: async (page, { ticketId }) => {
      await page.goto(`/tickets/${ticketId}`);
      await page.getByText("filed the card").waitFor();
      await page.getByRole("button", { name: "Add label" }).click();
      await page.getByRole("combobox", { name: "Find or create a label" }).fill("flak");
      await page.getByRole("option", { name: "Create flak" }).waitFor();
    },
  },
  {
    name: "card-relations",
    as: "ada",
    open: async (page, { relatedTicketId }) => {
      await page.goto(`/tickets/${relatedTicketId}`);
      await page.getByRole("list", { name: "Blocked by" }).getByRole("link").first().waitFor();
      await page.getByRole("button", { name: "Add relation" }).click();
      await page.getByRole("menuitem", { name: "Relates to…" }).click();
      await page.getByRole("combobox", { name: "Relates to: find a card" }).fill("release");
      await page.getByRole("option", { name: "Write down how to roll a release back" }).waitFor();
    },
  },
  {
    name: "labels",
    as: "ada",
    open: async (page) => {
      await page.goto("/labels");
      await page.getByRole("button", { name: "Colour of flaky" }).click();
      await page.getByRole("menuitemradio", { name: "Teal" }).waitFor();
    },
  },
  {
    name: "card-mention",
    as: "ada",
    open: async (page, { ticketId }) => {
      await page.goto(`/tickets/${ticketId}`);
      await page.getByText("filed the card").waitFor();
      await page.getByLabel("Write a comment").pressSequentially("Thanks @");
      await page.getByRole("option", { name: "Grace Hopper" }).waitFor();
    },
  },
  {
    name: "card-conflict",
    as: "ada",
    open: async (page, { ticketId }) => {
      await page.goto(`/tickets/${ticketId}`);
      await page.getByText("filed the card").waitFor();
      await page.getByLabel("Write a comment").fill("Half a thought");
      await until(() =>
        page.evaluate<boolean>(
          `(() => {
            const key = Object.keys(localStorage).find((key) => key.endsWith("/comment"));
            const draft = { text: "Mine.", base: "What was there before." };
            if (key) localStorage.setItem(key.replace("/comment", "/description"), JSON.stringify(draft));
            return key !== undefined;
          })()`,
        ),
      );
      await page.reload();
      await page.getByRole("button", { name: "Compare and keep editing" }).click();
      await page.getByRole("region", { name: "Their changes" }).waitFor();
      await forgetDrafts(page);
    },
  },
  {
    name: "list",
    as: "ada",
    open: async (page, { boardId }) => {
      await page.goto(`/boards/${boardId}?view=list&group=priority`);
      await page.getByText("Nightly build is red").waitFor();
    },
  },
  {
    name: "search",
    as: "ada",
    open: async (page, { boardId }) => {
      await page.goto(`/boards/${boardId}`);
      await page.getByText("Nightly build is red").waitFor();
      await page.keyboard.press("Control+k");
      await page.getByLabel("Search cards and commands").fill("re");
      await page.getByRole("option", { name: "Nightly build is red" }).waitFor();
    },
  },
  {
    name: "search-card",
    as: "ada",
    open: async (page, { boardId }) => {
      await page.goto(`/boards/${boardId}`);
      await page.getByText("Nightly build is red").waitFor();
      await page.getByRole("link", { name: "Nightly build is red" }).focus();
      await page.keyboard.press("Control+k");
      await page.getByRole("option", { name: "Mark done" }).waitFor();
    },
  },
  {
    name: "search-assign",
    as: "ada",
    open: async (page, { ticketId }) => {
      await page.goto(`/tickets/${ticketId}`);
      await page.getByText("filed the card").waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("option", { name: "Assign to…" }).click();
      await page.getByRole("option", { name: "Grace Hopper" }).waitFor();
    },
  },
  {
    name: "keys",
    as: "ada",
    open: async (page, { boardId }) => {
      await page.goto(`/boards/${boardId}`);
      await page.getByText("Nightly build is red").waitFor();
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    },
  },
  {
    name: "agent",
    as: "ada",
    open: async (page) => {
      await page.goto("/runs");
      await page.getByText("History").click();
      await page.getByText("Set by the operator of this server").waitFor();
      await page.getByText("The agent will start soon. The run uses one credit.").waitFor();
    },
  },
  {
    name: "notices",
    as: "ada",
    open: async (page) => {
      await page.goto("/inbox");
      await page.getByRole("link", { name: "Nightly build is red" }).first().waitFor();
    },
  },
  {
    name: "work",
    as: "mel",
    open: async (page) => {
      await page.goto("/work");
      await page.getByRole("region", { name: "Assigned to you" }).getByRole("listitem").first().waitFor();
    },
  },
  {
    name: "profile",
    as: "ada",
    open: async (page) => {
      await page.goto("/profile");
      await page.getByLabel("Slack incoming webhook").waitFor();
    },
  },
  {
    name: "second-factor",
    as: "ada",
    open: async (page) => {
      await page.goto("/profile");
      await page.getByRole("button", { name: "Set up a second factor" }).click();
      await page.getByLabel("Your password").fill(password);
      await page.getByRole("button", { name: "Set up an authenticator app" }).click();
      await page.getByRole("img", { name: "The key as a QR code" }).waitFor();
    },
  },
  {
    name: "comment-edit",
    as: "mel",
    open: async (page, { ticketId }) => {
      await page.goto(`/tickets/${ticketId}`);
      await page.getByRole("button", { name: "Actions for your comment" }).first().click();
      await page.getByRole("menuitem", { name: "Edit" }).click();
      await page.getByLabel("Edit your comment").waitFor();
    },
  },
  {
    name: "insights",
    as: "mel",
    open: async (page, { boardId }) => {
      await page.goto(`/boards/${boardId}/insights`);
      await page.getByText("As a table").first().click();
      await page.getByRole("region", { name: "Figures by label" }).waitFor();
    },
  },
  {
    name: "insights-empty",
    as: "mel",
    open: async (page, { emptyBoardId }) => {
      await page.goto(`/boards/${emptyBoardId}/insights`);
      await heading(page, "No figures yet");
    },
  },
  {
    name: "reports",
    as: "ada",
    open: async (page) => {
      await page.goto("/reports");
      await page.getByText("2 open problems").waitFor();
      await page.getByRole("heading", { name: "Most frequent problems" }).waitFor();
    },
  },
  {
    name: "inbox",
    as: "ada",
    open: async (page, { appId }) => {
      await page.goto(`/reports/${appId}`);
      await page.getByRole("link", { name: /Can I change the delivery day/ }).waitFor();
      await page.getByRole("img", { name: /reports in the last 7 days/ }).waitFor();
    },
  },
  {
    name: "releases",
    as: "mel",
    open: async (page, { appId }) => {
      await page.goto(`/reports/${appId}/releases`);
      await page.getByRole("columnheader", { name: "New problems" }).waitFor();
    },
  },
  {
    name: "inbox-filtered",
    as: "ada",
    open: async (page, { appId }) => {
      await page.goto(`/reports/${appId}?q=no+such+thing&kind=bug`);
      await page.getByText("No results").waitFor();
    },
  },
  {
    name: "problem",
    as: "ada",
    open: async (page, { problemId }) => {
      await page.goto(`/problems/${problemId}`);
      await heading(page, "Why these reports are grouped");
      await page.getByRole("list").filter({ hasText: "Jo Alder" }).first().waitFor();
    },
  },
  {
    name: "problem-merge",
    as: "ada",
    open: async (page, { problemId }) => {
      await page.goto(`/problems/${problemId}`);
      await page.getByRole("button", { name: "Merge" }).click();
      await page.getByRole("checkbox", { name: /TimeoutError/ }).check();
    },
  },
  {
    name: "card-reported",
    as: "ada",
    open: async (page, { reportedTicketId }) => {
      await page.goto(`/tickets/${reportedTicketId}`);
      await page.getByRole("region", { name: "Reported" }).getByText("addTax").waitFor();
    },
  },
  {
    name: "event",
    as: "ada",
    open: async (page, { eventId }) => {
      await page.goto(`/events/${eventId}`);
      await page.getByRole("button", { name: "3 library frames" }).click();
      await page.getByRole("button", { name: "basket:" }).click();
      await page.getByRole("button", { name: "Show console.log" }).click();
      await page.getByText("GET /api/tax/DE 204").waitFor();
    },
  },
  {
    name: "event-raw",
    as: "ada",
    open: async (page, { eventId }) => {
      await page.goto(`/events/${eventId}`);
      await page.getByRole("button", { name: "Show original" }).click();
      await page.getByRole("button", { name: "Show the raw envelope" }).click();
      await page.getByText('{"reportId":"r-16"').waitFor();
    },
  },
  {
    name: "event-feedback",
    as: "mel",
    open: async (page, { feedbackId }) => {
      await page.goto(`/events/${feedbackId}`);
      await heading(page, "Conversation with the reporter");
      await page.getByText("We have it on our list").waitFor();
    },
  },
  {
    name: "threads",
    as: "mel",
    open: async (page) => {
      await page.goto("/threads");
      await page.getByText("2 are waiting for a reply").waitFor();
      await page.getByRole("link", { name: /Can I change the delivery day/ }).waitFor();
    },
  },
  {
    name: "threads-empty",
    as: "mel",
    open: async (page) => {
      await page.goto("/threads?state=closed");
      await page.getByText("No matching conversations").waitFor();
    },
  },
  {
    name: "thread",
    as: "ada",
    open: async (page, { threadId }) => {
      await page.goto(`/threads/${threadId}`);
      await page.getByText("without an account").last().waitFor();
      await page.getByRole("textbox", { name: "Reply to the reporter" }).waitFor();
    },
  },
  {
    name: "apps",
    as: "ada",
    open: async (page) => {
      await page.goto("/apps");
      await page.getByText("No reports yet").waitFor();
    },
  },
  {
    name: "app",
    as: "ada",
    open: async (page, { appId }) => {
      await page.goto(`/apps/${appId}`);
      await page.getByText("Show how").click();
      await page.getByRole("region", { name: "From a terminal" }).waitFor();
      await page.getByRole("article", { name: "schema_validation_failed" }).waitFor();
    },
  },
  {
    name: "app-key-replace",
    as: "ada",
    open: async (page, { appId }) => {
      await page.goto(`/apps/${appId}`);
      await page.getByRole("button", { name: "Actions for the key default" }).click();
      await page.getByRole("menuitem", { name: "Replace key" }).click();
      await heading(page, "Replace the key “default”");
    },
  },
  {
    name: "app-delete",
    as: "ada",
    open: async (page, { appId }) => {
      await page.goto(`/apps/${appId}`);
      await page.getByRole("button", { name: "Delete the app…" }).click();
      await page.getByText("Kept", { exact: true }).waitFor();
    },
  },
  {
    name: "usage",
    as: "ada",
    open: async (page) => {
      await page.goto("/usage");
      await page.getByText("As a table").click();
      await page.getByRole("rowheader").last().waitFor();
      await heading(page, "Unusual days");
    },
  },
  {
    name: "usage-strike-out",
    as: "ada",
    open: async (page) => {
      await page.goto("/usage");
      await page
        .getByRole("button", { name: /^Exclude/ })
        .first()
        .click();
      await heading(page, /^Exclude/);
    },
  },
  {
    name: "organisation",
    as: "ada",
    open: async (page) => {
      await page.goto("/organisation");
      await page.getByRole("button", { name: /^Web · / }).click();
      await page.getByRole("button", { name: "Copy projectId of Web" }).waitFor();
    },
  },
  {
    name: "repository-bind",
    as: "ada",
    open: async (page) => {
      await page.goto("/organisation");
      await page.getByRole("button", { name: "Add repository" }).click();
      await page.getByLabel("URL", { exact: true }).waitFor();
    },
  },
  {
    name: "audit",
    as: "ada",
    open: async (page) => {
      await page.goto("/audit");
      await page.getByText("Member invited").waitFor();
    },
  },
  {
    name: "projects",
    as: "ada",
    open: async (page) => {
      await page.goto("/projects");
      await page.getByRole("link", { name: "Releases" }).last().waitFor();
    },
  },
  {
    name: "api",
    as: "ada",
    open: async (page) => {
      await page.goto("/projects");
      await page.getByRole("button", { name: "storefront" }).click();
      await page.getByRole("dialog", { name: "“storefront” in the API" }).waitFor();
    },
  },
  {
    name: "members",
    as: "ada",
    open: async (page) => {
      await page.goto("/members");
      await page.getByText("lin@acme.test", { exact: true }).waitFor();
    },
  },
  {
    name: "identity-provider",
    as: "ada",
    open: async (page) => {
      await page.goto("/members");
      const section = page.getByRole("region", { name: "Identity provider" });
      await section.getByRole("button", { name: "Set up" }).click();
      await page.getByLabel("Issuer").waitFor();
    },
  },
  {
    name: "invite",
    as: "ada",
    open: async (page) => {
      await page.goto("/members");
      await page.getByRole("button", { name: "Invite" }).click();
      await heading(page, "Invite to Acme");
    },
  },
  {
    name: "integrations",
    as: "ada",
    open: async (page) => {
      await page.goto("/integrations");
      await page.getByText("https://hooks.example.test/lodge").waitFor();
      await page.getByText("also signed with the previous secret until").waitFor();
    },
  },
  {
    name: "subscriber",
    as: "ada",
    open: async (page, { subscriberId }) => {
      await page.goto(`/subscribers/${subscriberId}`);
      await page.getByText("0 attempts").first().click();
      await page.getByText("Day by day").click();
    },
  },
  {
    name: "subscriber-new",
    as: "ada",
    open: async (page) => {
      await page.goto("/integrations");
      await page.getByRole("button", { name: "New subscriber" }).click();
      await page.getByText("Signing secret").waitFor();
    },
  },
  {
    name: "integrations-for-a-member",
    as: "mel",
    open: async (page) => {
      await page.goto("/integrations");
      await heading(page, "Integrations are for owners and admins");
    },
  },
  {
    name: "hook-rotate",
    as: "ada",
    open: async (page) => {
      await page.goto("/integrations");
      await page.getByRole("button", { name: /^Rotate secret of/ }).click();
      await heading(page, "Rotate secret");
    },
  },
  {
    name: "tokens",
    as: "ada",
    open: async (page) => {
      await page.goto("/tokens");
      await page.getByText("Unused for 90 days").waitFor();
      await page.getByText("Web, Mobile").waitFor();
    },
  },
  {
    name: "token-create",
    as: "ada",
    open: async (page) => {
      await page.goto("/tokens");
      await page.getByText("Web, Mobile").waitFor();
      await page.getByRole("button", { name: "New token" }).click();
      await page.getByLabel("Chosen projects").check();
      await page.getByRole("checkbox", { name: "Mobile" }).waitFor();
    },
  },
  {
    name: "token-secret",
    as: "ada",
    open: async (page) => {
      await page.goto("/tokens");
      await page.getByText("Web, Mobile").waitFor();
      const earlier = page.getByRole("button", { name: "Actions for Release robot" });
      if (await earlier.isVisible()) {
        await earlier.click();
        await page.getByRole("menuitem", { name: "Revoke" }).click();
        await page.getByRole("button", { name: "Revoke token" }).click();
        await earlier.waitFor({ state: "detached" });
        await page.reload();
      }
      await page.getByRole("button", { name: "New token" }).click();
      await page.getByRole("textbox", { name: "Name" }).fill("Release robot");
      await page.getByRole("button", { name: "Create token" }).click();
      await heading(page, "“Release robot” is ready");
    },
  },
  {
    name: "tokens-for-a-member",
    as: "mel",
    open: async (page) => {
      await page.goto("/tokens");
      await heading(page, "API tokens are for owners and admins");
    },
  },
  {
    name: "token-revoke",
    as: "ada",
    open: async (page) => {
      await page.goto("/tokens");
      await page.getByRole("button", { name: "Actions for Old deploy script" }).click();
      await page.getByRole("menuitem", { name: "Revoke" }).click();
      await heading(page, "Revoke “Old deploy script”?");
    },
  },
  {
    name: "person-menu",
    as: "ada",
    open: async (page) => {
      await page.goto("/members");
      await page.getByText("lin@acme.test", { exact: true }).waitFor();
      const menu = page.getByRole("button", { name: "Menu", exact: true });
      if (await menu.isVisible()) await menu.click();
      await page.getByRole("button", { name: "Ada Byron account menu" }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
    },
  },
  {
    name: "not-found",
    as: "ada",
    open: async (page) => {
      await page.goto("/boards/00000000-0000-7000-8000-000000000000");
      await heading(page, "There is no such board");
    },
  },
];
