import { runLeaseSeconds } from "@lodge/contract/limits";
import type { TakenRun } from "@lodge/contract/runners";
import { type RawBuilder, sql } from "kysely";
import { reserveCredit } from "../../people/organisations/reserve-credit.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidRunner, type Runner } from "./authenticate-runner.ts";
import { hearOfRuns } from "./hear-of-runs.ts";
import { isUntrustedSql } from "./reassign-run.ts";

/** Keeps many changes at once from making every waiting runner ask as often. */
const pauseMs = 100;

/**
 * Gives a runner the oldest queued run of its organisation, under a lease with a new fencing number; waits for one for
 * `waitSeconds`, or until `signal` aborts. A run that cannot start is held, with the reason. The same `takeId` returns
 * the same run while its lease lasts, so a lost response costs nothing. Throws `invalid_runner_token` if the runner was
 * revoked while it waited.
 */
export async function takeRun(
  deps: Deps,
  runner: Runner,
  { takeId, waitSeconds = 0 }: { takeId: string; waitSeconds?: number },
  signal: AbortSignal,
): Promise<TakenRun | null> {
  const deadline = performance.now() + waitSeconds * 1000;
  await using news = waitSeconds > 0 ? await hearOfRuns(deps, runner.organisationId) : undefined;
  while (true) {
    const taken = signal.aborted ? undefined : await takeNext(deps, runner, takeId);
    if (taken) return taken;
    const leftMs = deadline - performance.now();
    if (!news || leftMs <= 0 || signal.aborted) return null;
    await news.next(leftMs, pauseMs, signal);
  }
}

/** Tries runs one at a time, so that no transaction locks more than one. */
async function takeNext(deps: Deps, runner: Runner, takeId: string): Promise<TakenRun | undefined> {
  const { organisationId } = runner;
  while (true) {
    const next = await deps.db.transaction().execute(async (tx) => {
      const again = await findTaken(tx, runner, takeId);
      if (again) return { run: await describe(deps, tx, organisationId, again) };
      const waiting = await lockOldest(tx, organisationId);
      if (!waiting) return undefined;
      await holdRunner(tx, runner);
      const { id, ticketId, repositoryId, tokenId, hasStarted } = waiting;
      const at = deps.clock.now();
      const held = await (async () => {
        if (repositoryId === null) return "no_repository";
        if (tokenId !== null && !hasStarted && !(await isWithinBudget(tx, organisationId, tokenId, at)))
          return "token_budget";
        return (await reserveCredit(tx, { organisationId, runId: id, at })) ? null : "no_credits";
      })();
      if (held) {
        await hold(tx, organisationId, id, held, at);
        return { changed: { runId: id, ticketId } };
      }
      await start(tx, runner, { id, repositoryId, takeId, at });
      return { changed: { runId: id, ticketId }, run: await describe(deps, tx, organisationId, id) };
    });
    if (next?.changed) deps.announce(organisationId, { kind: "run.changed", ...next.changed });
    if (!next || next.run) return next?.run;
  }
}

async function findTaken(tx: Transaction, runner: Runner, takeId: string): Promise<string | undefined> {
  const run = await tx
    .selectFrom("agent_runs")
    .select("id")
    .where("organisation_id", "=", runner.organisationId)
    .where("runner_id", "=", runner.id)
    .where("take_id", "=", takeId)
    .where("lease_expires_at", "is not", null)
    .executeTakeFirst();
  return run?.id;
}

/** Keeps a runner from being revoked until the transaction ends. Throws `invalid_runner_token` if it already was. */
async function holdRunner(tx: Transaction, { organisationId, id }: Runner): Promise<void> {
  const found = await tx
    .selectFrom("runners")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", id)
    .forKeyShare()
    .executeTakeFirst();
  if (!found) throw invalidRunner();
}

/** The oldest queued run, with the repository that its ticket names or else the only one of its project. */
async function lockOldest(tx: Transaction, organisationId: string) {
  const { rows } = await sql<{
    id: string;
    ticketId: string;
    repositoryId: string | null;
    tokenId: string | null;
    hasStarted: boolean;
  }>`
    select run.id, run.ticket_id as "ticketId", run.token_id as "tokenId", run.started_at is not null as "hasStarted",
      coalesce(t.agent_repository_id, (
        select min(repositories.id::text)::uuid from columns
        join boards on boards.organisation_id = columns.organisation_id and boards.id = columns.board_id
        join repositories on repositories.organisation_id = boards.organisation_id
          and repositories.project_id = boards.project_id
        where columns.organisation_id = t.organisation_id and columns.id = t.column_id
        having count(*) = 1)) as "repositoryId"
    from agent_runs run join tickets t on t.organisation_id = run.organisation_id and t.id = run.ticket_id
    where run.organisation_id = ${organisationId} and run.state = 'queued'
    order by run.id limit 1 for no key update of run skip locked`.execute(tx);
  return rows[0];
}

/** Whether a token's tickets may start one more run today (UTC). Runs of one token are counted one at a time. */
async function isWithinBudget(tx: Transaction, organisationId: string, tokenId: string, at: Date): Promise<boolean> {
  const token = await tx
    .selectFrom("tokens")
    .select("runs_per_day")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", tokenId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  const budget = token?.runs_per_day ?? null;
  if (budget === null) return true;
  // A separate statement, so that it sees the runs that were started while it waited for the lock.
  const started = await startedToday(sql`${organisationId}`, sql`${tokenId}`, at).execute(tx);
  return Number(started.rows[0]?.count) < budget;
}

/** SQL: the number of runs started on a day (UTC) that count against a token's budget. */
export const startedToday = (organisationId: RawBuilder<unknown>, tokenId: RawBuilder<unknown>, at: Date) => sql<{
  count: number;
}>`
  select count(*) from agent_runs started
  where started.organisation_id = ${organisationId} and started.token_id = ${tokenId}
    and started.started_at >= date_trunc('day', ${at}::timestamptz, 'UTC')`;

async function hold(tx: Transaction, organisationId: string, runId: string, reason: string, at: Date) {
  await tx
    .updateTable("agent_runs")
    .set({ state: "held", reason, changed_at: at, changed_by_user_id: null, changed_by_name: null })
    .where("organisation_id", "=", organisationId)
    .where("id", "=", runId)
    .execute();
}

async function start(
  tx: Transaction,
  runner: Runner,
  { id, repositoryId, takeId, at }: { id: string; repositoryId: string | null; takeId: string; at: Date },
) {
  await tx
    .updateTable("agent_runs")
    .set((make) => ({
      state: "running",
      reason: null,
      changed_at: at,
      changed_by_user_id: null,
      changed_by_name: null,
      repository_id: repositoryId,
      runner_id: runner.id,
      take_id: takeId,
      fence: make("fence", "+", 1),
      lease_expires_at: leaseUntil(at),
      started_at: make.fn.coalesce("started_at", make.val(at)),
    }))
    .where("organisation_id", "=", runner.organisationId)
    .where("id", "=", id)
    .execute();
}

/** When a lease that is given or extended now expires. */
export const leaseUntil = (now: Date): Date => new Date(now.getTime() + runLeaseSeconds * 1000);

type Described = {
  id: string;
  fence: number;
  logLength: number;
  repository: TakenRun["repository"];
  ticketId: string;
  title: string;
  description: string;
  isUntrusted: boolean;
  labels: string[];
  comments: TakenRun["ticket"]["comments"];
};

async function describe({ urls }: Deps, tx: Transaction, organisationId: string, runId: string): Promise<TakenRun> {
  const { rows } = await sql<Described>`
    select run.id, run.fence, run.log_length as "logLength", t.id as "ticketId", t.title, t.description, shown_labels(t.organisation_id, t.labels) as labels,
      ${sql.raw(isUntrustedSql("t"))} as "isUntrusted",
      json_build_object('name', repositories.name, 'url', repositories.url,
        'credentialsEnv', repositories.credentials_env) as repository,
      (
        select coalesce(json_agg(json_build_object('author', latest.author_name, 'text', latest.text, 'createdAt',
          to_char(latest.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by latest.id), '[]')
        from (
          select id, author_name, text, created_at from comments
          where comments.organisation_id = t.organisation_id and comments.ticket_id = t.id
          order by id desc limit 100) latest) as comments
    from agent_runs run
    join tickets t on t.organisation_id = run.organisation_id and t.id = run.ticket_id
    join repositories on repositories.organisation_id = run.organisation_id and repositories.id = run.repository_id
    where run.organisation_id = ${organisationId} and run.id = ${runId}`.execute(tx);
  const [run] = rows;
  if (!run) throw new Error("a run that was taken has no repository");
  const { id, fence, logLength, repository, ticketId, ...ticket } = run;
  return {
    id,
    fence,
    leaseSeconds: runLeaseSeconds,
    logLength,
    branch: `lodge/${ticketId}`,
    repository,
    ticket: { id: ticketId, url: `${urls.base}/tickets/${ticketId}`, ...ticket },
  };
}
