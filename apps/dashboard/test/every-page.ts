import type { Page } from "playwright-core";
import type { LivelyWorld } from "./lively-world.ts";

/** A page of the dashboard as it shows itself to Ada, who owns the organisation, or to a visitor. */
export type KnownPage = {
  name: string;
  visitor?: boolean;
  open: (page: Page, world: LivelyWorld) => Promise<unknown>;
};

const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name }).first().waitFor();

/** Every page and dialog, each by the way that leads there, waiting until it is whole. */
export const everyPage: KnownPage[] = [
  {
    name: "sign-in",
    visitor: true,
    open: async (page) => {
      await page.goto("/sign-in");
      await heading(page, "Sign in to Lodge");
    },
  },
  {
    name: "invitation",
    visitor: true,
    open: async (page, { invitationPath }) => {
      await page.goto(invitationPath);
      await heading(page, "Join Acme");
    },
  },
  {
    name: "board",
    open: async (page, { boardId }) => {
      await page.goto(`/boards/${boardId}`);
      await page.getByText("Nightly build is red").waitFor();
    },
  },
  {
    name: "board-filtered",
    open: async (page, { boardId }) => {
      await page.goto(`/boards/${boardId}?priority=high`);
      await page.getByText("No card fits the filter").first().waitFor();
    },
  },
  {
    name: "board-empty",
    open: async (page, { emptyBoardId }) => {
      await page.goto(`/boards/${emptyBoardId}`);
      await page.getByText("No cards").first().waitFor();
    },
  },
  {
    name: "board-new-card",
    open: async (page, { emptyBoardId }) => {
      await page.goto(`/boards/${emptyBoardId}`);
      await page.getByRole("button", { name: "New card", exact: true }).click();
      await page.getByLabel("Title of the new card in Planned").waitFor();
    },
  },
  {
    name: "card",
    open: async (page, { ticketId }) => {
      await page.goto(`/tickets/${ticketId}`);
      await page.getByText("I take it out today").waitFor();
      await page.getByText("filed the ticket").waitFor();
    },
  },
  {
    name: "card-mention",
    open: async (page, { ticketId }) => {
      await page.goto(`/tickets/${ticketId}`);
      await page.getByText("filed the ticket").waitFor();
      await page.getByLabel("Write a comment").pressSequentially("Thanks @");
      await page.getByRole("option", { name: "Grace Hopper" }).waitFor();
    },
  },
  {
    name: "projects",
    open: async (page) => {
      await page.goto("/projects");
      await page.getByRole("link", { name: "Releases" }).last().waitFor();
    },
  },
  {
    name: "members",
    open: async (page) => {
      await page.goto("/members");
      await page.getByText("lin@acme.test", { exact: true }).waitFor();
    },
  },
  {
    name: "invite",
    open: async (page) => {
      await page.goto("/members");
      await page.getByRole("button", { name: "Invite" }).click();
      await heading(page, "Invite to Acme");
    },
  },
  {
    name: "tokens",
    open: async (page) => {
      await page.goto("/tokens");
      await page.getByText("Unused for 90 days").waitFor();
      await page.getByText("Web, Mobile").waitFor();
    },
  },
  {
    name: "token-create",
    open: async (page) => {
      await page.goto("/tokens");
      await page.getByText("Web, Mobile").waitFor();
      await page.getByRole("button", { name: "New token" }).click();
      await page.getByLabel("Chosen projects").check();
      await page.getByRole("checkbox", { name: "Mobile" }).waitFor();
    },
  },
  {
    name: "token-revoke",
    open: async (page) => {
      await page.goto("/tokens");
      await page.getByRole("button", { name: "Actions for Old deploy script" }).click();
      await page.getByRole("menuitem", { name: "Revoke" }).click();
      await heading(page, "Revoke “Old deploy script”?");
    },
  },
  {
    name: "person-menu",
    open: async (page) => {
      await page.goto("/members");
      await page.getByText("lin@acme.test", { exact: true }).waitFor();
      const menu = page.getByRole("button", { name: "Menu", exact: true });
      if (await menu.isVisible()) await menu.click();
      await page.getByRole("button", { name: "Ada Byron theme and sign-out" }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
    },
  },
  {
    name: "not-found",
    open: async (page) => {
      await page.goto("/boards/00000000-0000-7000-8000-000000000000");
      await heading(page, "There is no such board");
    },
  },
];
