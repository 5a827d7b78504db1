import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import type { World } from "@lodge/contract/world";
import { verifyPassword } from "../../people/access/password-hash.ts";
import { openPool } from "../../platform/database/database.ts";
import { makeBasics } from "../../platform/make-deps.ts";
import { dumpDatabase } from "../../testing/dump-database.ts";
import { startService } from "../../testing/start-service.ts";
import { applyWorld, checkWorld } from "./apply-world.ts";

const lodge = await startService();
after(() => lodge[Symbol.asyncDispose]());
// `lodged apply` has its own connections, whose statements may wait while other calls hash their passwords.
const pool = openPool({ connectionString: lodge.env.DATABASE_URL ?? "" }, lodge.deps.log);
after(() => pool.end());
const basics = makeBasics(pool);
const { db } = basics;

const apply = async (world: World) => applyWorld({ ...basics, sealing: lodge.deps.sealing }, checkWorld(world));

const people = (slug: string) => ({
  zoe: { email: `zoe@${slug}.test`, name: "Zoe", role: "member" as const },
  ada: { email: `ada@${slug}.test`, name: "Ada", role: "owner" as const, password: "a long enough password" },
});

function acme(slug = `acme-${randomUUID()}`) {
  const { zoe, ada } = people(slug);
  return {
    organisation: { name: "Acme", slug, plan: "team", credits: 10, monthlyInstallLimit: 500 },
    members: [zoe, ada],
    projects: [
      {
        name: "Web",
        slug: "web",
        repositories: [
          { name: "web", url: "https://git.example.test/web.git" },
          { name: "api", url: "https://git.example.test/api.git" },
        ],
        boards: [
          { name: "Inbox", columns: ["Backlog", "Doing", "Done"] },
          { name: "Bugs", columns: ["New", "Known"] },
        ],
      },
      { name: "App", slug: "app" },
    ],
    tokens: [
      { name: "CI", scope: ["web"], permissions: ["tickets:write"] },
      { name: "Bot", scope: "all", permissions: ["tickets:write", "metrics:read"] },
    ],
    apps: [
      { name: "iOS", slug: "ios", replies: true, keys: ["default", "beta"] },
      { name: "Web", slug: "web" },
    ],
  } satisfies World;
}

/** The problems of a world in which the value at a JSON pointer is replaced or left out. */
async function problemOf(pointer: string, value: unknown): Promise<string> {
  const world: unknown = structuredClone(acme());
  const names = pointer.slice(1).split("/");
  const last = names.pop() ?? "";
  const parent = names.reduce((at, name) => Reflect.get(at as object, name), world) as object;
  if (value === undefined) Reflect.deleteProperty(parent, last);
  else Reflect.set(parent, last, value);
  return apply(world as World).then(
    () => "",
    (error: Error) => error.message,
  );
}
const isId = (id: unknown) =>
  assert.match(String(id), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);

test("an SDK key is public, so every run prints it; a new name creates a new key", async () => {
  const world = acme();
  const [ios, web] = (await apply(world)).apps;
  assert.deepEqual(
    ios?.keys.map(({ name }) => name),
    ["default", "beta"],
  );
  for (const { key } of ios?.keys ?? []) assert.match(key, /^ldgpub_[0-9A-Za-z]{27}$/);
  assert.deepEqual(web?.keys, []);

  const changed = { ...world, apps: [{ name: "iPhone", slug: "ios", keys: ["default", "beta", "nightly"] }] };
  const [again] = (await apply(changed)).apps;
  assert.deepEqual(again?.keys.slice(0, 2), ios?.keys);
  assert.equal(again?.keys[2]?.name, "nightly");
  const app = await lodge.deps.db
    .selectFrom("apps")
    .selectAll()
    .where("id", "=", ios?.id ?? "")
    .executeTakeFirst();
  assert.equal(app?.name, "iPhone");
  assert.equal(app?.replies, true);
});

test("a world is created as its file says, and the output has every id in the order of the file", async () => {
  const world = acme();
  const made = await apply(world);
  assert.deepEqual(Object.keys(made), ["organisation", "members", "projects", "tokens", "runners", "apps"]);
  assert.deepEqual(Object.keys(made.organisation), ["id", "slug", "agentUserId"]);
  assert.deepEqual(
    made.members.map(({ email }) => email),
    world.members.map(({ email }) => email),
  );
  const [web, app] = made.projects;
  assert.deepEqual(
    web?.repositories.map(({ name }) => name),
    ["web", "api"],
  );
  assert.deepEqual(
    web?.boards.map(({ name, columns }) => [name, ...columns.map((column) => column.name)]),
    [
      ["Inbox", "Backlog", "Doing", "Done"],
      ["Bugs", "New", "Known"],
    ],
  );
  assert.deepEqual({ ...app, id: "" }, { id: "", slug: "app", repositories: [], boards: [] });
  assert.deepEqual(
    made.tokens.map(({ name }) => name),
    ["CI", "Bot"],
  );
  const boards = web?.boards ?? [];
  for (const { id } of [
    made.organisation,
    { id: made.organisation.agentUserId },
    ...made.members,
    ...made.projects,
    ...(web?.repositories ?? []),
    ...boards,
    ...boards.flatMap(({ columns }) => columns),
    ...made.tokens,
  ]) {
    isId(id);
  }
});

test("every run prints the fields in the order of the contract", async () => {
  const world = acme();
  const [app] = world.apps;
  const hooked = { ...world, apps: [{ ...app, subscribers: [{ kind: "webhook", url: "https://example.test" }] }] };
  for (const run of ["the first", "another"]) {
    const { organisation, members, projects, tokens, apps } = await apply(hooked as World);
    const told = [organisation, members[0], projects[0], projects[0]?.repositories[0], projects[0]?.boards[0]];
    const more = [projects[0]?.boards[0]?.columns[0], tokens[0], apps[0], apps[0]?.keys[0], apps[0]?.subscribers[0]];
    assert.deepEqual(
      [...told, ...more].map((one) => Object.keys(one ?? {}).join()),
      [
        "id,slug,agentUserId",
        "id,email",
        "id,slug,repositories,boards",
        "id,name",
        "id,name,columns",
        "id,name",
        "id,name,secret",
        "id,slug,number,keys,subscribers",
        "id,name,key",
        "id,kind,secret",
      ],
      run,
    );
  }
});

test("apply creates what the file says", async () => {
  const world = acme();
  const { organisation, members, tokens } = await apply(world);
  const stored = await db.selectFrom("organisations").selectAll().where("id", "=", organisation.id).executeTakeFirst();
  assert.deepEqual(
    [stored?.name, stored?.slug, stored?.plan, stored?.credits, stored?.monthly_install_limit],
    ["Acme", world.organisation.slug, "team", 10, 500],
  );
  const roles = await db
    .selectFrom("members")
    .select(["user_id", "role"])
    .where("organisation_id", "=", organisation.id)
    .execute();
  assert.deepEqual(
    new Map(roles.map(({ user_id, role }) => [user_id, role])),
    new Map([
      [members[0]?.id, "member"],
      [members[1]?.id, "owner"],
      [organisation.agentUserId, "member"],
    ]),
  );
  const filed = await lodge.fileTicket(tokens[0]?.secret, { title: "t" });
  assert.equal(filed.status, 201);
});

test("an organisation needs only a name and a slug", async () => {
  const { organisation } = await apply({ organisation: { name: "Bare", slug: `bare-${randomUUID()}` } });
  const stored = await db.selectFrom("organisations").selectAll().where("id", "=", organisation.id).executeTakeFirst();
  assert.deepEqual([stored?.plan, stored?.credits, stored?.monthly_install_limit], ["free", 0, null]);
});

test("applying the same file again changes nothing, and prints no secret", async () => {
  const world = acme();
  const made = await apply(world);
  const before = await dumpDatabase(pool);
  const again = await apply(world);
  assert.deepEqual(await dumpDatabase(pool), before);
  assert.ok(made.tokens.every(({ secret }) => secret?.startsWith("ldg_")));
  assert.deepEqual(again, { ...made, tokens: made.tokens.map((token) => ({ ...token, secret: null })) });
});

test("differences are updated in place", async () => {
  const world = acme();
  const made = await apply(world);
  const changed: World = {
    organisation: {
      name: "Acme Ltd",
      slug: world.organisation.slug,
      plan: "business",
      credits: 3,
      monthlyInstallLimit: 0,
    },
    members: [{ ...people(world.organisation.slug).zoe, name: "Zoë", role: "admin" }],
    projects: [
      { slug: "web", name: "Website", repositories: [{ name: "api", url: "https://git.example.test/other.git" }] },
    ],
    tokens: [{ name: "CI", scope: ["app", "web", "app"], permissions: [] }],
  };
  const after = await apply(changed);
  assert.equal(after.organisation.id, made.organisation.id);
  assert.equal(after.members[0]?.id, made.members[0]?.id);
  assert.equal(after.projects[0]?.id, made.projects[0]?.id);
  assert.equal(after.tokens[0]?.id, made.tokens[0]?.id);

  const { id } = made.organisation;
  const { rows } = await pool.query(
    `select organisations.name, plan, credits, monthly_install_limit, users.name as member, role, projects.name as project,
      url, scope, permissions, (select count(*) from token_projects where token_id = tokens.id) as reached
    from organisations
    join members on members.organisation_id = organisations.id and members.user_id = $2
    join users on users.id = user_id
    join projects on projects.organisation_id = organisations.id and projects.slug = 'web'
    join repositories on repositories.project_id = projects.id and repositories.name = 'api'
    join tokens on tokens.organisation_id = organisations.id and tokens.name = 'CI'
    where organisations.id = $1`,
    [id, made.members[0]?.id],
  );
  assert.deepEqual(rows, [
    {
      name: "Acme Ltd",
      plan: "business",
      credits: 3,
      monthly_install_limit: 0,
      member: "Zoë",
      role: "admin",
      project: "Website",
      url: "https://git.example.test/other.git",
      scope: "projects",
      permissions: [],
      reached: 2,
    },
  ]);
});

test("objects that a file omits are kept as they are", async () => {
  const world = acme();
  await apply(world);
  const before = await dumpDatabase(pool);
  const { name, slug } = world.organisation;
  await apply({ organisation: { name, slug } });
  await apply({ organisation: { name, slug }, projects: [{ name: "Web", slug: "web" }] });
  await apply({
    organisation: { name, slug },
    members: [{ email: `ada@${slug}.test`, name: "Ada", role: "owner" }],
  });
  assert.deepEqual(await dumpDatabase(pool), before);
});

test("boards and columns take the order of the file; unnamed ones follow", async () => {
  const world = acme();
  const { organisation, projects, tokens } = await apply(world);
  const idOf = (board: string, column: string) =>
    projects[0]?.boards.find(({ name }) => name === board)?.columns.find(({ name }) => name === column)?.id;
  const reorder = (boards: { name: string; columns: string[] }[]) =>
    apply({ organisation: world.organisation, projects: [{ name: "Web", slug: "web", boards }] });
  const order = async () =>
    (
      await pool.query<{ board: string; names: string }>(
        `select boards.name as board, string_agg(columns.name, ' ' order by columns.position) as names
        from boards join columns on board_id = boards.id where boards.organisation_id = $1
        group by boards.name, boards.position order by boards.position`,
        [organisation.id],
      )
    ).rows.map(({ board, names }) => `${board}: ${names}`);
  const firstColumn = async () => (await lodge.fileTicket(tokens[0]?.secret, { title: "t" })).body.columnId;

  assert.equal(await firstColumn(), idOf("Inbox", "Backlog"));
  const reordered = await reorder([
    { name: "Bugs", columns: ["Known", "New"] },
    { name: "Inbox", columns: ["Done", "Review", "Backlog"] },
  ]);
  assert.deepEqual(await order(), ["Bugs: Known New", "Inbox: Done Review Backlog Doing"]);
  assert.equal(await firstColumn(), idOf("Bugs", "Known"));
  assert.deepEqual(
    reordered.projects[0]?.boards.map(({ columns }) => columns.map(({ name }) => name)),
    [
      ["Known", "New"],
      ["Done", "Review", "Backlog"],
    ],
  );
  assert.equal(reordered.projects[0]?.boards[1]?.columns[2]?.id, idOf("Inbox", "Backlog"));

  await reorder([
    { name: "Triage", columns: ["New"] },
    { name: "Inbox", columns: ["Backlog"] },
  ]);
  assert.deepEqual(await order(), ["Triage: New", "Inbox: Backlog Done Review Doing", "Bugs: Known New"]);
});

test("a board's done column is the one the file names, cards included; if it names none, it does not change", async () => {
  const world = acme();
  const { organisation, projects, tokens } = await apply(world);
  const [backlog, , done] = projects[0]?.boards[0]?.columns ?? [];
  await lodge.fileTicket(tokens[0]?.secret, { title: "Shipped", columnId: done?.id });
  const applyInbox = (doneColumn?: string) =>
    apply({
      organisation: world.organisation,
      projects: [
        {
          name: "Web",
          slug: "web",
          boards: [{ name: "Inbox", columns: ["Backlog", "Doing", "Done"], ...(doneColumn && { doneColumn }) }],
        },
      ],
    });
  const state = async () => {
    const { rows } = await pool.query<{ column: string; done: number }>(
      `select columns.id as column, count(tickets.done_at) as done
      from columns left join tickets on column_id = columns.id
      where columns.organisation_id = $1 and is_done group by columns.id`,
      [organisation.id],
    );
    return rows;
  };
  await applyInbox();
  assert.deepEqual(await state(), []);
  await applyInbox("Done");
  assert.deepEqual(await state(), [{ column: done?.id, done: 1 }]);
  const before = await dumpDatabase(pool);
  await applyInbox("Done");
  await applyInbox();
  assert.deepEqual(await dumpDatabase(pool), before);
  await applyInbox("Backlog");
  assert.deepEqual(await state(), [{ column: backlog?.id, done: 0 }]);
});

test("a password is stored as a hash, and rewritten only if it changes", async () => {
  const world = acme();
  const { members } = await apply(world);
  const account = () =>
    db
      .selectFrom("passwords")
      .select("hash")
      .where("user_id", "=", members[1]?.id ?? "")
      .execute();
  const signsIn = async (password: string) => verifyPassword({ hash: (await account())[0]?.hash, password });
  const [kept, ...others] = await account();
  assert.deepEqual(others, []);
  assert.doesNotMatch(kept?.hash ?? "", /long enough/);
  assert.ok(await signsIn("a long enough password"));

  const { organisation } = world;
  const { ada: named } = people(organisation.slug);
  const ada = { ...named, email: named.email.toUpperCase() };
  await apply({ organisation, members: [ada] });
  assert.deepEqual(await account(), [kept]);
  await apply({ organisation, members: [{ ...ada, password: "another long password" }] });
  assert.ok(await signsIn("another long password"));
  assert.equal(await signsIn("a long enough password"), false);
});

test("one person can be a member of two organisations", async () => {
  const email = `both-${randomUUID()}@people.test`;
  const memberIn = async (role: "admin" | "member") =>
    (
      await apply({
        organisation: { name: "One", slug: `one-${randomUUID()}` },
        members: [{ email, name: "Both", role }],
      })
    ).members[0]?.id;
  assert.equal(await memberIn("admin"), await memberIn("member"));
});

test("two organisations can use the same names", async () => {
  const [one, other] = [await apply(acme()), await apply(acme())];
  assert.notEqual(one.projects[0]?.id, other.projects[0]?.id);
  assert.ok(other.tokens.every(({ secret }) => secret !== null));
});

test("a token can name a project that is in the database but not in the file", async () => {
  const world = acme();
  const { organisation } = world;
  await apply(world);
  const { tokens } = await apply({
    organisation,
    tokens: [{ name: "Late", scope: ["web"], permissions: ["tickets:write"] }],
  });
  assert.equal((await lodge.fileTicket(tokens[0]?.secret, { title: "t" })).status, 201);
});

test("a token's name has up to 80 characters, all of which appear as the author", async () => {
  const world = acme();
  const name = "🤖".repeat(80);
  const { tokens } = await apply({
    ...world,
    tokens: [{ name, scope: ["web"], permissions: ["tickets:write"] }],
  });
  const { body } = await lodge.fileTicket(tokens[0]?.secret, { title: "t" });
  const ticket = await db
    .selectFrom("tickets")
    .select("author_name")
    .where("id", "=", body.id as string)
    .executeTakeFirst();
  assert.equal(ticket?.author_name, name);
});

test("the name of a revoked token creates a new token", async () => {
  const world = acme();
  const { tokens } = await apply(world);
  await db
    .updateTable("tokens")
    .set({ revoked_at: new Date() })
    .where("id", "=", tokens[0]?.id ?? "")
    .execute();
  const again = await apply(world);
  assert.notEqual(again.tokens[0]?.id, tokens[0]?.id);
  assert.match(again.tokens[0]?.secret ?? "", /^ldg_/);
});

test("an unknown key anywhere is an error with its path", async () => {
  for (const place of [
    "",
    "/organisation",
    "/members/1",
    "/projects/0",
    "/projects/0/repositories/1",
    "/projects/0/boards/1",
    "/tokens/1",
  ]) {
    const expected = `The file is invalid:\n  ${place}/colour is not a known field`;
    assert.equal(await problemOf(`${place}/colour`, "red"), expected);
  }
});

test("an invalid value is an error with its path and the rule", async () => {
  const before = await dumpDatabase(pool);
  const board = "/projects/0/boards/0";
  for (const [pointer, value, expected] of [
    ["/organisation", undefined, "/organisation is required"],
    ["/organisation/slug", undefined, "/organisation/slug is required"],
    ["/organisation/slug", "A b", "/organisation/slug must consist of lowercase letters"],
    ["/organisation/plan", "gold", "/organisation/plan must be one of free, team, business"],
    ["/organisation/credits", -1, "/organisation/credits must be at least 0"],
    ["/organisation/monthlyInstallLimit", 1.5, "/organisation/monthlyInstallLimit must be an integer"],
    ...["ext::sh -c true", "/srv/web.git", "--upload-pack=true"].map(
      (url) =>
        [
          "/projects/0/repositories/0/url",
          url,
          "/projects/0/repositories/0/url must be the URL of a Git repository",
        ] as const,
    ),
    ["/members/0/email", "zoe", "/members/0/email must be a valid email"],
    ["/members/0/role", "boss", "/members/0/role must be one of owner, admin, member"],
    ["/members/0/password", "short", "/members/0/password must have at least 10 characters"],
    ["/identityProvider", "https://id.acme.test", "/identityProvider must be an object or null"],
    [
      "/identityProvider",
      {
        issuer: "https://id.acme.test",
        clientId: "lodge",
        domains: ["@acme.test"],
        roleClaim: "roles",
        roles: { owner: [], admin: [], member: [] },
        defaultRole: null,
        isRequired: false,
      },
      "/identityProvider/domains/0 must match",
    ],
    ["/projects", {}, "/projects must be an array"],
    ["/projects/1/slug", "web", '/projects/1 repeats "web"'],
    ["/projects/0/repositories/1/name", "web", '/projects/0/repositories/1 repeats "web"'],
    [`${board}/columns`, [], `${board}/columns must have at least 1 entry`],
    [`${board}/columns/1`, "Backlog", `${board}/columns/1 repeats "Backlog"`],
    [`${board}/doneColumn`, "Shipped", `${board}/doneColumn must be one of its columns`],
    [`${board}/name`, "Bugs", '/projects/0/boards/1 repeats "Bugs"'],
    ["/tokens/0/name", "n".repeat(81), "/tokens/0/name must have at most 80 characters"],
    ["/tokens/0/name", "Bot", '/tokens/1 repeats "Bot"'],
    ["/tokens/0/scope", "web", '/tokens/0/scope must be "all" or a list of project slugs'],
    [
      "/tokens/0/permissions/0",
      "*",
      "/tokens/0/permissions/0 must be one of tickets:write, tickets:read, tickets:edit, projects:read, events:read, problems:read, problems:edit, sourcemaps:write, metrics:read",
    ],
  ] as const) {
    const problem = await problemOf(pointer, value);
    assert.ok(problem.startsWith(`The file is invalid:\n  ${expected}`), `${expected}: ${problem}`);
  }
  assert.deepEqual(await dumpDatabase(pool), before);
});

test("two members with the same e-mail address in any letter case are an error", async () => {
  const { zoe, ada } = people("twins");
  assert.match(await problemOf("/members", [zoe, ada, { ...ada, email: "ZOE@Twins.test" }]), /\/members\/2 repeats/);
});

test("a file with an error that only the database can detect changes nothing either", async () => {
  const before = await dumpDatabase(pool);
  const problem = await problemOf("/tokens/1/scope", ["web", "desktop"]);
  assert.equal(problem, 'The file is invalid:\n  /tokens/1/scope/1 there is no project "desktop"');
  assert.deepEqual(await dumpDatabase(pool), before);
});

test("a common password in a file is refused", async () => {
  const before = await dumpDatabase(pool);
  const problem = await problemOf("/members/0/password", "Password1234");
  assert.match(problem, /^The file is invalid:\n {2}\/members\/0\/password must not be a common password/);
  assert.deepEqual(await dumpDatabase(pool), before);
});

test("the last owner cannot be demoted", async () => {
  const slug = `acme-${randomUUID()}`;
  const world = acme(slug);
  const { zoe, ada } = people(slug);
  const demoted = { ...ada, role: "admin" as const };
  const applyMembers = (...members: NonNullable<World["members"]>) =>
    apply({ ...world, members }).then(
      () => "it fits",
      (error: Error) => error.message,
    );
  assert.equal(await applyMembers(zoe), "it fits", "an organisation that never had an owner");
  assert.equal(await applyMembers(zoe, ada), "it fits");
  const before = await dumpDatabase(pool);
  assert.equal(
    await applyMembers({ ...zoe, name: "Zoë" }, { ...demoted, email: demoted.email.toUpperCase() }),
    "The file is invalid:\n  /members/1/role would leave the organisation without an owner",
  );
  assert.deepEqual(await dumpDatabase(pool), before);
  assert.equal(await applyMembers(demoted, { ...zoe, role: "owner" }), "it fits", "another member becomes an owner");
  assert.equal(await applyMembers(demoted), "it fits", "a member whom the file omits is an owner");
});

test("another organisation's project cannot be given to a token", async () => {
  const organisation = { name: "Other", slug: `other-${randomUUID()}` };
  await apply({ organisation, projects: [{ name: "Theirs", slug: "theirs" }] });
  assert.match(await problemOf("/tokens/0/scope", ["theirs"]), /there is no project "theirs"/);
});

test("a world that is applied several times at once is created once, and each secret is printed once", async () => {
  const world = acme();
  const made = await Promise.all([1, 2, 3, 4].map(() => apply(world)));
  assert.equal(new Set(made.map(({ organisation }) => organisation.id)).size, 1);
  for (const index of [0, 1]) {
    assert.equal(made.filter(({ tokens }) => tokens[index]?.secret !== null).length, 1);
  }
});
