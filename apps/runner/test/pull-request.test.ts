import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { CallError } from "@lodge/contract/call";
import { until } from "../../server/src/testing/until.ts";
import type { Forge } from "../src/ask-forge.ts";
import { describePullRequest } from "../src/describe-pull-request.ts";
import { forgeOf, openPullRequest, readPullRequest, whyNoPullRequest } from "../src/pull-request.ts";
import { lookAtPullRequests } from "../src/watch-pull-requests.ts";

type Answer = { status: number; body?: unknown; headers?: Record<string, string> };

/** A forge that first returns the given responses, and then those in its documentation. */
async function forge(kind: Forge["kind"], first: Answer[] = []) {
  const requests: { method: string; url: string; body: Record<string, unknown>; authorization: string }[] = [];
  const open: Record<string, unknown>[] = [];
  const isGitHub = kind === "github";
  const isGitLab = kind === "gitlab";
  const answer = ({ method, url }: IncomingMessage, body: Record<string, unknown>): Answer => {
    const early = first.shift();
    if (early) return early;
    const path = new URL(url ?? "", "http://x").pathname;
    if (method === "GET" && /^\/(?:repos\/acme\/web|projects\/acme%2Fweb)$/.test(path)) {
      return { status: 200, body: { default_branch: "main" } };
    }
    if (method === "GET" && kind === "gitea") {
      const branch = decodeURIComponent(/^\/repos\/acme\/web\/pulls\/main\/(.+)$/.exec(path)?.[1] ?? "");
      const found = open.find((request) => request.branch === branch);
      return found ? { status: 200, body: found } : { status: 404, body: { message: "pull request does not exist" } };
    }
    if (method === "GET") {
      const query = new URL(url ?? "", "http://x").searchParams;
      const branch = query.get(isGitHub ? "head" : "source_branch")?.replace("acme:", "");
      return { status: 200, body: open.filter((request) => request.branch === branch) };
    }
    const [branch, into] = isGitLab ? [body.source_branch, body.target_branch] : [body.head, body.base];
    if (branch === into) return { status: 422, body: { message: "There are no changes between them." } };
    if (open.some((request) => request.branch === branch)) {
      return isGitHub
        ? {
            status: 422,
            body: {
              message: "Validation Failed",
              errors: [{ message: `A pull request already exists for acme:${branch}.` }],
            },
          }
        : isGitLab
          ? { status: 409, body: { message: ["Another open merge request already exists for this source branch: !7"] } }
          : { status: 409, body: { message: "pull request already exists for these targets" } };
    }
    const address = `https://forge.test/acme/web/${open.length + 7}`;
    const made = { branch, [isGitLab ? "web_url" : "html_url"]: address };
    open.push(made);
    return { status: 201, body: made };
  };
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).join("");
    const body = (text ? JSON.parse(text) : {}) as Record<string, unknown>;
    const { method = "", url = "", headers } = request;
    requests.push({ method, url, body, authorization: headers.authorization ?? "" });
    const { status, body: sent, headers: also } = answer(request, body);
    response.writeHead(status, { "content-type": "application/json", ...also }).end(JSON.stringify(sent ?? {}));
  }).listen(0, "127.0.0.1");
  await until(() => server.listening);
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const where = forgeOf("https://git.acme.test/acme/web.git", new Map([["git.acme.test", { kind, api }]]));
  assert.ok(where);
  return {
    api,
    requests,
    open,
    look: () => readPullRequest(where, "token", "https://forge.test/acme/web/pull/7", new AbortController().signal),
    ask: (isDraft = false) =>
      openPullRequest(
        where,
        "token",
        { branch: "lodge/1", into: "main", title: "t", body: "b", isDraft },
        new AbortController().signal,
      ),
    whyNot: () => whyNoPullRequest(where, "token", new AbortController().signal),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

for (const kind of ["github", "gitlab", "gitea"] as const) {
  test(`on ${kind} a pull request is opened once despite lost or refused requests`, async () => {
    await using host = await forge(kind, [
      { status: 502 },
      { status: 429, headers: { "retry-after": "0" } },
      { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "0" } },
    ]);
    assert.equal(await host.ask(), "https://forge.test/acme/web/7");
    assert.equal(await host.ask(), "https://forge.test/acme/web/7");
    assert.equal(host.open.length, 1);
    const created = host.requests.filter(({ method }) => method === "POST");
    assert.equal(created.length, 1);
    assert.equal(created[0]?.authorization, "Bearer token");
    assert.deepEqual(
      [created[0]?.url, created[0]?.body],
      kind !== "gitlab"
        ? ["/repos/acme/web/pulls", { title: "t", body: "b", head: "lodge/1", base: "main" }]
        : [
            "/projects/acme%2Fweb/merge_requests",
            { title: "t", description: "b", source_branch: "lodge/1", target_branch: "main" },
          ],
    );
  });

  test(`on ${kind} an existing pull request is found, and a refusal is reported`, async () => {
    const none = kind === "gitea" ? { status: 404 } : { status: 200, body: [] };
    await using raced = await forge(kind, [none]);
    raced.open.push({
      branch: "lodge/1",
      [kind === "gitlab" ? "web_url" : "html_url"]: "https://forge.test/acme/web/3",
    });
    assert.equal(await raced.ask(), "https://forge.test/acme/web/3");
    await using refused = await forge(kind, [none, { status: 403, body: { message: "no rights" } }]);
    await assert.rejects(refused.ask(), /answered 403: no rights/);
  });

  test(`on ${kind} a pull request can be a draft`, async () => {
    await using host = await forge(kind);
    await host.ask(true);
    const sent = host.requests.find(({ method }) => method === "POST")?.body ?? {};
    const shown = { github: ["t", true], gitlab: ["Draft: t", undefined], gitea: ["WIP: t", undefined] }[kind];
    assert.deepEqual([sent.title, sent.draft], shown);
  });

  test(`on ${kind} the permission to open pull requests is checked without opening one`, async () => {
    await using host = await forge(kind);
    assert.equal(await host.whyNot(), undefined);
    assert.deepEqual(host.open, []);
    const shown = { status: 200, body: { default_branch: "main" } };
    await using refused = await forge(kind, [shown, { status: 403, body: { message: "no rights" } }]);
    assert.match((await refused.whyNot()) ?? "", /answered 403: no rights$/);
    await using hidden = await forge(kind, [{ status: 404, body: { message: "Not Found" } }]);
    await assert.rejects(hidden.whyNot(), { name: "ForgeError", status: 404 });
  });
}

test("the forge of a repository is recognised from its address", () => {
  const pathOf = (url: string) => forgeOf(url, new Map())?.path;
  assert.equal(pathOf("https://github.com/acme/web.git"), "acme/web");
  assert.equal(pathOf("https://codeberg.org/acme/web.git"), "acme/web");
  assert.equal(pathOf("https://user:secret@github.com/acme/web"), "acme/web");
  assert.equal(pathOf("git@github.com:acme/web.git"), "acme/web");
  assert.equal(pathOf("ssh://git@gitlab.com:22/acme/group/web.git"), "acme/group/web");
  const forge: Forge = { kind: "gitlab", api: "https://git.acme.test:8443/api/v4" };
  const named = new Map([["git.acme.test:8443", forge]]);
  assert.deepEqual(forgeOf("https://git.acme.test:8443/acme/web.git", named), { forge, path: "acme/web" });
  assert.equal(forgeOf("https://git.acme.test/acme/web.git", named), undefined);
  assert.equal(pathOf("/srv/git/web.git"), undefined);
  assert.equal(pathOf("https://git.example.test/acme/web.git"), undefined);
});

test("a pull request is open, closed, merged, or merged with the first release that contains it", async () => {
  const mergedAt = "2026-01-02T00:00:00Z";
  const ok = (body: unknown) => ({ status: 200, body });
  const github = ok({ state: "closed", merged_at: mergedAt, merge_commit_sha: "abc" });
  const gitlab = ok({ state: "merged", merged_at: mergedAt, merge_commit_sha: null, squash_commit_sha: "abc" });
  const gitea = ok({ state: "closed", merged: true, merged_at: mergedAt, merge_commit_sha: "abc" });
  const release = (tag_name: string, day: number) => {
    const at = `2026-01-0${day}T00:00:00Z`;
    return { tag_name, draft: false, published_at: at, released_at: at };
  };
  const releases = ok([release("v4", 5), release("v3", 4), release("v2", 3), release("v1", 1)]);
  const cases: [Forge["kind"], Answer[], object, number][] = [
    ["github", [ok({ state: "open", merged_at: null })], { state: "open" }, 1],
    ["github", [ok({ state: "closed", merged_at: null })], { state: "closed" }, 1],
    ["github", [github, ok([release("v1", 1)])], { state: "merged" }, 2],
    // v2 was tagged on another branch
    [
      "github",
      [github, releases, ok({ status: "diverged" }), ok({ status: "ahead" })],
      { state: "merged", version: "v3" },
      4,
    ],
    // v2 is deleted, or has an unrelated history
    ["github", [github, releases, { status: 404 }, ok({ status: "ahead" })], { state: "merged", version: "v3" }, 4],
    ["github", [github, releases, { status: 403 }], { state: "merged" }, 3],
    ["github", [github, { status: 403 }], { state: "merged" }, 2],
    ["gitea", [ok({ state: "open", merged: false })], { state: "open" }, 1],
    ["gitea", [ok({ state: "closed", merged: false })], { state: "closed" }, 1],
    // v2 does not contain it, v3 does
    [
      "gitea",
      [gitea, releases, ok({ total_commits: 2 }), ok({ total_commits: 0 })],
      { state: "merged", version: "v3" },
      4,
    ],
    ["gitea", [gitea, { status: 403 }], { state: "merged" }, 2],
    ["gitlab", [gitlab, { status: 403 }], { state: "merged" }, 2],
    ["gitlab", [gitlab, releases, { status: 404 }], { state: "merged" }, 3],
    ["gitlab", [ok({ state: "opened" })], { state: "open" }, 1],
    ["gitlab", [ok({ state: "closed" })], { state: "closed" }, 1],
    ["gitlab", [gitlab, ok([])], { state: "merged" }, 2],
    [
      "gitlab",
      [
        gitlab,
        releases,
        ok([
          { type: "tag", name: "v3" },
          { type: "tag", name: "v4" },
        ]),
      ],
      { state: "merged", version: "v3" },
      3,
    ],
  ];
  for (const [kind, answers, seen, count] of cases) {
    await using host = await forge(kind, answers);
    assert.deepEqual(await host.look(), seen);
    assert.equal(host.requests.length, count);
    assert.match(
      host.requests[0]?.url ?? "",
      kind !== "gitlab" ? /^\/repos\/acme\/web\/pulls\/7$/ : /^\/projects\/acme%2Fweb\/merge_requests\/7$/,
    );
  }
});

test("a pull request that the server refuses does not prevent checks of the others", async () => {
  await using host = await forge("github", [
    { status: 200, body: { state: "closed", merged_at: null } },
    { status: 200, body: { state: "closed", merged_at: null } },
  ]);
  const heard: string[] = [];
  const watched = ["1", "2"].map((runId) => ({
    runId,
    url: `https://git.acme.test/acme/web/pull/${runId}`,
    repositoryUrl: "https://git.acme.test/acme/web.git",
    credentialsEnv: "FORGE_TOKEN",
  }));
  const server = {
    watchPullRequests: async () => ({ pullRequests: watched, wanted: [] }),
    reportOpening: async () => {},
    reportPullRequest: async (runId: string) => {
      heard.push(runId);
      if (runId === "1") throw new CallError("run_not_found", "There is no such run.", { status: 404 });
    },
  };
  const forges = new Map([["git.acme.test", { kind: "github" as const, api: host.api }]]);
  const told: string[] = [];
  const watch = {
    server,
    forges,
    opensDrafts: false,
    release: () => ({ token: "token" }),
    secrets: [],
    say: (line: string) => void told.push(line),
  };
  await lookAtPullRequests(watch, new AbortController().signal);
  assert.deepEqual(heard, ["1", "2"]);
  assert.deepEqual(told, ["https://git.acme.test/acme/web/pull/1: There is no such run."]);
});

test("a pull request names the ticket that it fixes, and the agent's text has no effect on the forge", () => {
  const ticket = { title: "Cart is empty", url: "https://lodge.test/tickets/1", number: "WEB-12" };
  assert.deepEqual(describePullRequest({ ...ticket, summary: null }), {
    title: "Cart is empty",
    body: "Fixes WEB-12: https://lodge.test/tickets/1\n\nLodge's agent wrote this change. Review it before you merge it.",
  });
  assert.match(describePullRequest({ ...ticket, number: null, summary: "" }).body, /^Fixes https:/);
  const summary = "Done, @ada.\n/merge\r/approve\nFixes #7, closes acme/other#8, resolved !9 <img src=x>";
  const { body } = describePullRequest({ ...ticket, summary });
  assert.match(body, /^> Done, @\u200bada\.\n> \/merge\n> \/approve\n/);
  assert.doesNotMatch(body, /^\/|@ada|#[78]|!9|closes|resolved|<img/m);
  assert.equal(body.match(/Fixes/g)?.length, 1, "only the ticket follows the keyword Fixes");
  assert.equal(body.replaceAll("\u200b", "").match(/Fixes #7/g)?.length, 1, "the summary reads as the agent wrote it");
});
