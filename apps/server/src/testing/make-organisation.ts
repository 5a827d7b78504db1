import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Service } from "./start-service.ts";

/**
 * Creates an organisation with a unique slug, so that the tests of a file can share a service: a project with one
 * repository and two boards, one with two repositories, and a token for each kind of access. Returns the ids, and the
 * secrets of the tokens.
 */
export async function makeOrganisation(lodge: Service, { credits = 10 } = {}) {
  const slug = `acme-${randomUUID()}`;
  const permissions = ["tickets:write" as const];
  const repository = (name: string) => ({ name, url: `https://git.example.test/${name}.git` });
  const made = await lodge.apply({
    organisation: { name: "Acme", slug, credits },
    members: [{ email: `ada@${slug}.test`, name: "Ada", role: "owner" }],
    projects: [
      {
        name: "Web",
        slug: "web",
        repositories: [repository("web")],
        boards: [
          { name: "Inbox", columns: ["Backlog", "Doing"] },
          { name: "Later", columns: ["Ideas", "Chosen"] },
        ],
      },
      {
        name: "Mobile",
        slug: "mobile",
        repositories: [repository("ios"), repository("android")],
        boards: [{ name: "Inbox", columns: ["Backlog"] }],
      },
    ],
    tokens: [
      { name: "Web CI", scope: ["web"], permissions },
      { name: "Mobile CI", scope: ["mobile"], permissions },
      { name: "All CI", scope: "all", permissions },
      { name: "Nowhere CI", scope: [], permissions },
      { name: "Powerless CI", scope: "all", permissions: [] },
      { name: "Web reader", scope: ["web"], permissions: ["tickets:read", "projects:read"] },
    ],
  });
  const project = (name: string) => entry(made.projects, (item) => item.slug === name);
  const named = <T extends { name: string }>(list: readonly T[], name: string) =>
    entry(list, (item) => item.name === name);
  const secret = (name: string) => named(made.tokens, name).secret ?? "";
  const web = project("web");
  const mobile = project("mobile");
  const inbox = named(web.boards, "Inbox");
  const later = named(web.boards, "Later");
  const mobileInbox = named(mobile.boards, "Inbox");
  return {
    slug,
    id: made.organisation.id,
    agentUserId: made.organisation.agentUserId,
    memberUserId: entry(made.members, () => true).id,
    web: {
      id: web.id,
      repositoryId: named(web.repositories, "web").id,
      inbox: {
        id: inbox.id,
        backlogId: named(inbox.columns, "Backlog").id,
        doingId: named(inbox.columns, "Doing").id,
      },
      later: { id: later.id, ideasId: named(later.columns, "Ideas").id, chosenId: named(later.columns, "Chosen").id },
    },
    mobile: {
      id: mobile.id,
      iosRepositoryId: named(mobile.repositories, "ios").id,
      inbox: { id: mobileInbox.id, backlogId: named(mobileInbox.columns, "Backlog").id },
    },
    tokens: {
      web: secret("Web CI"),
      mobile: secret("Mobile CI"),
      all: secret("All CI"),
      nowhere: secret("Nowhere CI"),
      powerless: secret("Powerless CI"),
      reader: secret("Web reader"),
    },
  };
}

function entry<T>(list: readonly T[], matches: (item: T) => boolean): T {
  const found = list.find(matches);
  assert.ok(found, "the organisation was made without something that the tests need");
  return found;
}
