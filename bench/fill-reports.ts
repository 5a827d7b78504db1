import type pg from "pg";
import { dropIndexes } from "./drop-indexes.ts";

const rareWords = 64;
const rareWordMatches = 20;

/** One of 64 similar words, each of which 20 rows contain, regardless of the number of rows. */
export const rareWord = (n: number): string => `word${20_000 + (n % rareWords)}x`;

/** SQL for a space and one of these words, in the rows that have one. `n` is the number of the row. */
export function rareWordSql(n: string, rows: number): string {
  const step = Math.max(Math.floor(rows / (rareWords * rareWordMatches)), 1);
  return `case when (${n}) % ${step} = 0 and (${n}) / ${step} < ${rareWords * rareWordMatches}
    then ' word' || 20000 + (${n}) / ${step} % ${rareWords} || 'x' else '' end`;
}

const matchesOfUser = 20;

/** Terms of inbox searches, in addition to rare words, with the same number of matches in a database of any size. */
export const searchTerms: Record<string, (n: number) => string> = {
  "a user": (n) => `u-${n}x`,
  "user:": (n) => `user:u-${n}x`,
  "an address": (n) => `user${n}x@bench.test`,
  "a file": (n) => `cart${n}.ts`,
  "file:": (n) => `file:cart${n}.ts`,
  "a function": (n) => `totalOf${n}x`,
  "function:": (n) => `function:totalOf${n}x`,
  "an error's name": (n) => `Bench${n}xError`,
  "type:": (n) => `type:Bench${n}xError`,
};

/**
 * Inserts the data of years of reports to one app directly into the database, on a pool of one connection: problems
 * with four fifths of the events (the most frequent has a tenth of all), single reports, and as many reports whose
 * events were deleted. An envelope has 1 kB.
 */
export async function fillReports(
  pool: pg.Pool,
  { organisationId, appId, keyId }: { organisationId: string; appId: string; keyId: string },
  { events, problems, everySeconds }: { events: number; problems: number; everySeconds: number },
): Promise<void> {
  const indexes = await dropIndexes(pool, ["event_summaries", "problem_texts", "problem_facets", "problems"]);
  await pool.query("set session_replication_role = replica");
  await pool.query("set maintenance_work_mem = '1GB'");
  // Its values are random, like those of real reports, so a bulk insert without the index is faster.
  await pool.query("alter table report_ids drop constraint report_ids_pkey");
  // Event n is n minutes old and belongs to problem n^2 of the range, so that the first problems have most events, or
  // to none.
  await pool.query(`create temporary table seed as
    select n, uuidv7((n - ${events}) * interval '${everySeconds} seconds') as id,
      date_trunc('second', now()) + (n - ${events}) * interval '${everySeconds} seconds' as at,
      case when n % 5 < 4 then floor(${problems} * power(random(), 3))::integer end as problem,
      'word' || floor(random() * 20000) || 'x ord' || floor(random() * 5000) || ' happened'
        || case when n % 1000 = 7 then ' rarely' || n % 3 else '' end
        || case when n % 5 = 4 then ${rareWordSql("n / 5", events / 5)} else '' end as words,
      case when n % 10 = 0 then 'staging' else 'production' end as environment,
      '1.' || least(floor(n * 50.0 / ${events}), 49) || '.0' as version, 'plan ' || n % 5 as plan,
      floor(random() * ${Math.max(Math.floor(events / matchesOfUser), 1)}) || 'x' as person
    from generate_series(1, ${events}) n`);
  await pool.query(
    `insert into events (app_id, id, report_id, sdk_key_id, envelope, received_at)
    select $1, id, report_id, $2, convert_to(json_build_object('reportId', report_id, 'title', words, 'message',
      words || repeat(' and what else there is to say of it', 24))::text, 'UTF8'), at
    from (select *, gen_random_uuid()::text as report_id from seed) reports`,
    [appId, keyId],
  );
  await pool.query(
    `insert into report_ids (app_id, digest, event_id, delivery_count)
    select $1, gen_random_uuid(), id, 0 from seed, generate_series(1, 2)`,
    [appId],
  );
  await pool.query("alter table report_ids add primary key (app_id, digest)");
  const hash = (problem: string) => `md5('problem ' || ${problem})::uuid`;
  const kind = "case when problem is null then 'feedback' else 'crash' end";
  const error = "'Bench' || problem || 'xError'";
  await pool.query(
    `insert into event_summaries (app_id, event_id, hash, received_at, kind, title, message, environment, version,
      user_id, user_email, attachment_count, facets, search_text)
    select $1, id, ${hash("problem")}, at, ${kind}, words, words, environment, version, 'u-' || person,
      'user' || person || '@bench.test', (n % 20 = 0)::integer,
      array['kind:' || ${kind}, 'environment:' || environment, 'version:' || version, 'tag:plan=' || plan]
        || case when n % 20 = 0 then array['attachments'] else array[]::text[] end,
      case when problem is null then words || E'\\n' || words || ' in the middle of a message that says a little more' end
    from seed`,
    [appId],
  );
  await pool.query(
    `insert into problems (organisation_id, app_id, id, kind, title, state, event_count, first_seen_at, first_event_id,
      last_seen_at, last_event_id)
    select $1, $2, ${hash("'id' || problem")}, 'crash', ${error} || ': ' || any_value(words),
      case when problem % 10 = 9 then 'resolved' else 'open' end, count(*), min(at), (array_agg(id order by at))[1], max(at),
      (array_agg(id order by at desc))[1]
    from seed where problem is not null group by problem`,
    [organisationId, appId],
  );
  await pool.query(
    `insert into problem_hashes (app_id, hash, problem_id, rule, rule_version, strings, event_count, first_seen_at, last_seen_at)
    select $1, ${hash("problem")}, ${hash("'id' || problem")}, 'own_frames', 1, '["Error"]', count(*), min(at), max(at)
    from seed where problem is not null group by problem`,
    [appId],
  );
  await pool.query(
    `insert into problem_texts (app_id, hash, digest, search_text)
    select $1, ${hash("problem")}, md5(words)::uuid, ${error} || ': ' || words
    from (select problem, words, row_number() over (partition by problem order by at) as number from seed
      where problem is not null) numbered where number <= 50
    union all
    select distinct $1::uuid, ${hash("problem")}, md5('stack of ' || problem)::uuid, 'file:src/checkout/cart' || problem
      || '.ts' || E'\\nfile:src/main.ts\\nfunction:OrderService.totalOf' || problem || E'x\\nfunction:main'
    from seed where problem is not null
    on conflict do nothing`,
    [appId],
  );
  await pool.query(
    `insert into problem_facets (app_id, hash, facet, event_count, first_seen_at, last_seen_at)
    select $1, ${hash("problem")}, facet, count(*), min(at), max(at)
    from seed, unnest(array['kind:crash', 'environment:' || environment, 'version:' || version, 'tag:plan=' || plan,
      'error:' || ${error}]) facet
    where problem is not null group by problem, facet`,
    [appId],
  );
  await pool.query(
    `insert into app_facets (app_id, facet, event_count, first_seen_at, last_seen_at)
    select $1, facet, count(*), min(at), max(at)
    from seed, unnest(array['environment:' || environment, 'version:' || version, 'tag:plan=' || plan]) facet group by facet`,
    [appId],
  );
  await pool.query(
    `insert into app_hours (app_id, kind, hour, event_count)
    select $1, ${kind}, date_trunc('hour', at), count(*) from seed group by 2, 3`,
    [appId],
  );
  await pool.query("set session_replication_role = origin");
  await pool.query("drop table seed");
  for (const index of indexes) await pool.query(index);
}
