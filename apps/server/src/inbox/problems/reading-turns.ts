import type pg from "pg";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";

/** The duration of a reader's lease on an app. If the reader dies, this is noticed within 5 s, and the app is free. */
const turnSeconds = 20;
/** After the second failure in a row the app waits, twice as long each time, at most a minute. */
const backoffSql = (failures: string) =>
  `case when ${failures} < 2 then interval '0' else least(60, power(2, ${failures} - 2)) * interval '1 s' end`;

/** The lock that merging, splitting, erasing and counting in an app hold until they commit. */
export const lockKeySql = (appId: string) => `hashtextextended('lodge read events ' || ${appId}, 0)`;

const claimStatement = preparedStatement({
  name: "claim_reading_turns",
  parameters: { appIds: "uuid[]", reader: "text", now: "timestamptz" },
  row: { app_id: "uuid" },
  text: ({ appIds, reader, now }) => `insert into reading_turns as turn (of_app, reader, until)
  select app_id, ${reader}, ${now} + interval '${turnSeconds} s' from unnest(${appIds}) as app_id
  where pg_try_advisory_xact_lock_shared(${lockKeySql("app_id")})
  order by app_id
  on conflict (of_app) do update set reader = excluded.reader, until = excluded.until,
    failures = turn.failures + case when turn.reader <> excluded.reader then 1 else 0 end
  where turn.until <= ${now} or turn.reader = excluded.reader
  returning of_app as app_id`,
});

/** Claims the apps that nobody is reading, merging or erasing. */
export const claimTurns = ({ pool, clock }: Pick<Deps, "pool" | "clock">, reader: string, appIds: string[]) =>
  claimStatement(pool, { appIds, reader, now: clock.now() });

const endStatement = preparedStatement({
  name: "end_reading_turns",
  parameters: { appIds: "uuid[]", served: "uuid[]", failed: "uuid[]", reader: "text", now: "timestamptz" },
  row: {},
  text: ({ appIds, served, failed, reader, now }) => `update reading_turns as turn set reader = null,
    until = ${now} + case when of_app = any(${failed}) then ${backoffSql("failures + 1")} else interval '0' end,
    served_at = case when of_app = any(${served}) then ${now} else served_at end,
    failures = case when of_app = any(${failed}) then least(failures + 1, 1000)
      when of_app = any(${served}) then 0 else failures end
  where of_app = any(${appIds}) and reader = ${reader}`,
});

/** Releases turns. `served` are the apps that had their turn, `failed` those of them that failed. */
export const endTurns = (
  { pool, clock }: Pick<Deps, "pool" | "clock">,
  reader: string,
  turns: { appIds: string[]; served: string[]; failed: string[] },
) => endStatement(pool, { reader, now: clock.now(), ...turns });

/** Releases the turns of dead workers; each counts as failed. */
export async function endTurnsOfDead(client: pg.ClientBase, workerIds: string[]): Promise<void> {
  await client.query(
    `update reading_turns set reader = null, until = now() + ${backoffSql("failures + 1")},
      failures = least(failures + 1, 1000)
    where split_part(reader, ' ', 1) = any($1)`,
    [workerIds],
  );
}
