import type { Problem } from "@lodge/contract/errors";
import { compileCheck } from "@lodge/contract/problems";
import { type AppliedWorld, World } from "@lodge/contract/world";
import { sql } from "kysely";
import { applyRunner } from "../../board/agents/apply-runner.ts";
import { applyBoard } from "../../board/boards/apply-board.ts";
import { applyProject } from "../../board/projects/apply-project.ts";
import { applyApp } from "../../inbox/apps/apply-app.ts";
import { applySubscriber, type Receiver } from "../../inbox/subscribers/apply-subscriber.ts";
import { applyIdentityProvider } from "../../people/identity-providers/apply-identity-provider.ts";
import { applyMember } from "../../people/organisations/apply-member.ts";
import { applyOrganisation } from "../../people/organisations/apply-organisation.ts";
import { applyToken } from "../../people/tokens/apply-token.ts";
import type { SealingKeys } from "../../platform/config/seal.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { OperatorError, Refusal } from "../../platform/errors.ts";
import { refusalOfReceiverUrl } from "../../platform/outbound/receiver-url.ts";

const world = compileCheck(World);
const lockKey = 5_063_431_003;

/** Validates a world file. Throws an `OperatorError` that names the path of each error. */
export function checkWorld(value: unknown): World {
  const problems = world.problemsOf(value);
  if (problems.length > 0) {
    throw new OperatorError(
      `The file is invalid:\n${problems.map(({ path, message }) => `  ${path || "/"} ${message}`).join("\n")}`,
    );
  }
  const checked = value as World;
  refuseTwins("/projects", checked.projects, (project) => project.slug);
  refuseTwins("/members", checked.members, (member) => member.email.toLowerCase());
  refuseTwins("/tokens", checked.tokens, (token) => token.name);
  refuseTwins("/runners", checked.runners, (runner) => runner.name);
  refuseTwins("/apps", checked.apps, (app) => app.slug);
  for (const [index, app] of (checked.apps ?? []).entries()) {
    refuseTwins(`/apps/${index}/keys`, app.keys, (key) => key);
    checkSubscribers(`/apps/${index}/subscribers`, app.subscribers ?? []);
  }
  for (const [index, project] of (checked.projects ?? []).entries()) {
    refuseTwins(`/projects/${index}/repositories`, project.repositories, (repository) => repository.name);
    refuseTwins(`/projects/${index}/boards`, project.boards, (board) => board.name);
    for (const [place, board] of (project.boards ?? []).entries()) {
      const path = `/projects/${index}/boards/${place}`;
      refuseTwins(`${path}/columns`, board.columns, (column) => column);
      if (board.doneColumn !== undefined && !board.columns.includes(board.doneColumn)) {
        throw new OperatorError(`The file is invalid:\n  ${path}/doneColumn must be one of its columns`);
      }
    }
  }
  return checked;
}

/**
 * Creates what is missing and updates what differs, in one transaction, one call at a time (contract section 6).
 * `sealing` is needed for a world with an identity provider or a subscriber with a stored secret.
 */
export function applyWorld(
  { db, clock, sealing }: Pick<Deps, "db" | "clock"> & { sealing?: SealingKeys | undefined },
  world: World,
): Promise<AppliedWorld> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${lockKey})`.execute(tx);
    const organisation = await applyOrganisation(tx, clock.now(), world.organisation);
    const members = await applyMembers(tx, clock.now(), organisation.id, world.members ?? []);
    if (world.identityProvider !== undefined) {
      await applyIdentityProvider(tx, { clock, sealing }, organisation.id, world.identityProvider);
    }
    const projects = [];
    for (const project of world.projects ?? []) {
      const { id, repositories } = await applyProject(tx, organisation.id, project);
      const boards = [];
      for (const [position, board] of (project.boards ?? []).entries()) {
        boards.push(await applyBoard({ tx, clock }, organisation.id, id, position, board));
      }
      projects.push({ id, slug: project.slug, repositories, boards });
    }
    const tokens = [];
    for (const [index, { name, permissions, scope, runsPerDay }] of (world.tokens ?? []).entries()) {
      const projectIds =
        scope === "all" ? scope : await findProjects(tx, organisation.id, scope, `/tokens/${index}/scope`);
      tokens.push(await applyToken(tx, organisation.id, { name, permissions, projectIds, runsPerDay }));
    }
    const runners = [];
    for (const { name } of world.runners ?? []) runners.push(await applyRunner(tx, organisation.id, name));
    const apps = [];
    for (const [index, app] of (world.apps ?? []).entries()) {
      const applied = await applyApp(tx, organisation.id, app);
      const subscribers = [];
      for (const [place, subscriber] of (app.subscribers ?? []).entries()) {
        const receiver = await findReceiver(tx, organisation.id, subscriber, `/apps/${index}/subscribers/${place}`);
        subscribers.push(await applySubscriber(tx, organisation.id, applied.id, receiver, sealing));
      }
      apps.push({ ...applied, subscribers });
    }
    return { organisation, members, projects, tokens, runners, apps };
  });
}

type Member = NonNullable<World["members"]>[number];

/** Refuses to demote the last owner. The organisation is locked, as when the dashboard changes members. */
async function applyMembers(tx: Transaction, now: Date, organisationId: string, members: readonly Member[]) {
  const findOwners = () =>
    tx
      .selectFrom("members")
      .innerJoin("users", "users.id", "members.user_id")
      .select("users.email")
      .where("members.organisation_id", "=", organisationId)
      .where("members.role", "=", "owner")
      .execute();
  const before = new Set((await findOwners()).map(({ email }) => email));
  const applied = [];
  for (const [index, member] of members.entries()) {
    const refuse = (error: unknown): never => {
      const [problem] = error instanceof Refusal ? ((error.body.details ?? []) as Problem[]) : [];
      throw problem
        ? new OperatorError(`The file is invalid:\n  /members/${index}${problem.path} ${problem.message}`)
        : error;
    };
    applied.push(await applyMember(tx, now, organisationId, member).catch(refuse));
  }
  if (before.size > 0 && (await findOwners()).length === 0) {
    const index = members.findLastIndex(({ email }) => before.has(email.toLowerCase()));
    throw new OperatorError(
      `The file is invalid:\n  /members/${index}/role would leave the organisation without an owner`,
    );
  }
  return applied;
}

async function findProjects(tx: Transaction, organisationId: string, slugs: string[], path: string): Promise<string[]> {
  const ids: string[] = [];
  for (const [index, slug] of slugs.entries()) {
    const project = await tx
      .selectFrom("projects")
      .select("id")
      .where("organisation_id", "=", organisationId)
      .where("slug", "=", slug)
      .executeTakeFirst();
    if (!project) throw new OperatorError(`The file is invalid:\n  ${path}/${index} there is no project "${slug}"`);
    if (!ids.includes(project.id)) ids.push(project.id);
  }
  return ids;
}

type Subscriber = NonNullable<NonNullable<World["apps"]>[number]["subscribers"]>[number];

/** Rules that the schema of one object cannot express: which fields each kind allows, and what an address is. */
function checkSubscribers(path: string, subscribers: readonly Subscriber[]) {
  for (const [index, { kind, ...fields }] of subscribers.entries()) {
    const refuse = (message: string) => new OperatorError(`The file is invalid:\n  ${path}/${index}${message}`);
    const wanted = kind === "board" ? (["project", "board", "column"] as const) : (["url"] as const);
    const missing = wanted.find((name) => fields[name] === undefined);
    if (missing) throw refuse(`/${missing} is required`);
    const strange = Object.keys(fields).find((name) => !wanted.some((known) => known === name));
    if (strange) throw refuse(`/${strange} is not allowed for the kind ${kind}`);
    if (fields.url === undefined || kind === "board") continue;
    const refusal = refusalOfReceiverUrl(kind, fields.url);
    if (refusal !== undefined) throw refuse(`/url ${refusal}`);
  }
  refuseTwins(path, subscribers, ({ kind, url, project, board }) => [kind, url ?? `${project}/${board}`].join(" "));
}

async function findReceiver(
  tx: Transaction,
  organisationId: string,
  { kind, url = "", project = "", board = "", column = "" }: Subscriber,
  path: string,
): Promise<Receiver> {
  if (kind !== "board") return { kind, url };
  const found = await tx
    .selectFrom("columns")
    .innerJoin("boards", (join) =>
      join.onRef("boards.organisation_id", "=", "columns.organisation_id").onRef("boards.id", "=", "columns.board_id"),
    )
    .innerJoin("projects", (join) =>
      join
        .onRef("projects.organisation_id", "=", "boards.organisation_id")
        .onRef("projects.id", "=", "boards.project_id"),
    )
    .select(["columns.id as columnId", "boards.id as boardId"])
    .where("columns.organisation_id", "=", organisationId)
    .where("projects.slug", "=", project)
    .where("boards.name", "=", board)
    .where("columns.name", "=", column)
    .orderBy("boards.position")
    .orderBy("columns.position")
    .limit(1)
    .executeTakeFirst();
  if (!found) {
    throw new OperatorError(
      `The file is invalid:\n  ${path} there is no column "${column}" on a board "${board}" of a project "${project}"`,
    );
  }
  return { kind, ...found };
}

function refuseTwins<T>(path: string, items: readonly T[] | undefined, keyOf: (item: T) => string) {
  const seen = new Set<string>();
  for (const [index, item] of (items ?? []).entries()) {
    const key = keyOf(item);
    if (seen.has(key)) throw new OperatorError(`The file is invalid:\n  ${path}/${index} repeats "${key}"`);
    seen.add(key);
  }
}
