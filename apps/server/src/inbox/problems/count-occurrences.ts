import type pg from "pg";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Grouping } from "./grouping.ts";
import { identifyPerson } from "./identify-person.ts";
import { digestOf, type EventSummary } from "./summarise-event.ts";
import { thinUsers, usersOfHashMax } from "./thin-users.ts";
import { versionKey } from "./version-key.ts";

/**
 * A bound, since anybody with a publishable SDK key can send any number of values: a batch adds no new ones above it.
 */
const facetsOfHashMax = 600;
const facetsOfAppMax = 1_000;
const textsOfHashMax = 50;

/** An event as read from its envelope. */
export type ReadEvent = EventSummary & {
  organisationId: string;
  appId: string;
  eventId: string;
  receivedAt: Date;
  attachmentCount: number;
};

type GroupedEvent = ReadEvent & { grouping: Grouping };

const makeStatement = preparedStatement({
  name: "make_problems",
  parameters: { hashes: "json" },
  row: { app_id: "uuid", problem_id: "uuid", event_id: "uuid" },
  text: ({ hashes }) => `with fresh as materialized (
    select request.*, uuidv7() as problem_id from json_to_recordset(${hashes}) as request(
      organisation_id uuid, app_id uuid, hash uuid, rule text, rule_version smallint, strings jsonb, kind text, title text,
      culprit text, seen_at timestamptz, event_id uuid)
    where not exists (
      select from problem_hashes known where known.app_id = request.app_id and known.hash = request.hash)
  ), hashed as (
    insert into problem_hashes (app_id, hash, problem_id, rule, rule_version, strings, first_seen_at, last_seen_at)
    select app_id, hash, problem_id, rule, rule_version, strings, seen_at, seen_at from fresh order by app_id, hash
    on conflict (app_id, hash) do nothing
    returning app_id, problem_id
  )
  insert into problems (organisation_id, app_id, id, kind, title, culprit, first_seen_at, first_event_id, last_seen_at,
    last_event_id)
  select organisation_id, app_id, problem_id, kind, title, culprit, seen_at, event_id, seen_at, event_id
  from fresh join hashed using (app_id, problem_id)
  returning app_id, id as problem_id, first_event_id as event_id`,
});

/** A problem and the event that created it. */
export type ProblemOfEvent = { app_id: string; problem_id: string; event_id: string };

/** Creates a problem for each hash of the events that has none yet, and returns those that it created. */
export async function makeProblems(client: pg.PoolClient, events: readonly ReadEvent[]): Promise<ProblemOfEvent[]> {
  const firstOf = new Map<string, GroupedEvent>();
  for (const event of grouped(events)) if (!firstOf.has(keyOf(event))) firstOf.set(keyOf(event), event);
  if (firstOf.size === 0) return [];
  const hashes = [...firstOf.values()].map((event) => ({
    organisation_id: event.organisationId,
    app_id: event.appId,
    hash: event.grouping.hash,
    rule: event.grouping.rule,
    rule_version: event.grouping.version,
    strings: event.grouping.strings,
    kind: event.kind,
    title: event.title,
    culprit: event.culprit,
    seen_at: event.receivedAt,
    event_id: event.eventId,
  }));
  return makeStatement(client, { hashes: JSON.stringify(hashes) });
}

/**
 * Counts are summed up beforehand, so that a problem with many occurrences is locked and written once. Problems are
 * locked in one order. A resolved problem reopens when it occurs in a version newer than the one in which it was
 * resolved: by the version numbers or, if they cannot be compared, in a version first seen after it was resolved. If no
 * version was named, any later occurrence reopens it.
 */
const countStatement = preparedStatement({
  name: "count_occurrences",
  parameters: {
    events: "json",
    hashes: "json",
    versions: "json",
    facets: "json",
    installs: "json",
    users: "json",
    days: "json",
    texts: "json",
    appFacets: "json",
    hours: "json",
  },
  row: {
    app_id: "uuid",
    problem_id: "uuid",
    event_id: "uuid",
    seen_at: "timestamptz",
    reopening_event_id: "uuid?",
    is_crowded: "boolean",
  },
  text: (asked) => `with summary as (
    insert into event_summaries (app_id, event_id, hash, received_at, kind, title, message, environment, version, install,
      user_id, user_email, user_name, attachment_count, facets, search_text, read_failure)
    select app_id, event_id, hash, received_at, kind, title, message, environment, version, install, user_id, user_email,
      user_name, attachment_count, facets, search_text, read_failure
    from json_to_recordset(${asked.events}) as event(app_id uuid, event_id uuid, hash uuid, received_at timestamptz,
      kind text, title text, message text, environment text, version text, install uuid, user_id text, user_email text,
      user_name text, attachment_count smallint, facets text[], search_text text, read_failure text)
  ), counted as materialized (
    select count.*, problem_hashes.problem_id, problem_hashes.user_level from json_to_recordset(${asked.hashes}) as count(
      app_id uuid, hash uuid, event_count integer, first_seen_at timestamptz, last_seen_at timestamptz, last_event_id uuid,
      first_version text, last_version text)
    join problem_hashes using (app_id, hash)
  ), seen_user as (
    insert into problem_users (app_id, hash, person, level)
    select app_id, hash, person, level
    from json_to_recordset(${asked.users}) as seen(app_id uuid, hash uuid, person uuid, level smallint)
    join counted using (app_id, hash) where level >= counted.user_level
    order by app_id, hash, person
    on conflict do nothing
    returning app_id, hash, person, level
  ), hashed as (
    update problem_hashes set event_count = problem_hashes.event_count + counted.event_count,
      first_seen_at = least(problem_hashes.first_seen_at, counted.first_seen_at),
      last_seen_at = greatest(problem_hashes.last_seen_at, counted.last_seen_at),
      users_kept = users_kept + (
        select count(*) from seen_user where seen_user.app_id = counted.app_id and seen_user.hash = counted.hash)
    from counted where problem_hashes.app_id = counted.app_id and problem_hashes.hash = counted.hash
    returning problem_hashes.app_id, problem_hashes.problem_id, users_kept > ${usersOfHashMax} as is_crowded
  ), seen_install as (
    insert into problem_installs (app_id, hash, install)
    select app_id, hash, install from json_to_recordset(${asked.installs}) as seen(app_id uuid, hash uuid, install uuid)
    order by app_id, hash, install
    on conflict do nothing
    returning app_id, hash, install
  ), new_install as (
    select app_id, problem_id, count(distinct install) as install_count from seen_install join counted using (app_id, hash)
    where not exists (
      select from problem_hashes other
      join problem_installs known on known.app_id = other.app_id and known.hash = other.hash
      where other.app_id = counted.app_id and other.problem_id = counted.problem_id and other.hash <> counted.hash
        and known.install = seen_install.install)
    group by app_id, problem_id
  ), new_user as (
    select counted.app_id, counted.problem_id, count(distinct person) << problems.user_level as user_count
    from seen_user join counted using (app_id, hash)
    join problems on problems.app_id = counted.app_id and problems.id = counted.problem_id
    where seen_user.level >= problems.user_level and not exists (
      select from problem_hashes other
      join problem_users known on known.app_id = other.app_id and known.hash = other.hash
      where other.app_id = counted.app_id and other.problem_id = counted.problem_id and other.hash <> counted.hash
        and known.person = seen_user.person)
    group by counted.app_id, counted.problem_id, problems.user_level
  ), touched as materialized (
    select app_id, problem_id, sum(event_count) as event_count, min(first_seen_at) as first_seen_at,
      max(last_seen_at) as last_seen_at, (array_agg(last_event_id order by last_seen_at desc))[1] as last_event_id,
      (array_agg(first_version order by first_seen_at) filter (where first_version is not null))[1] as first_version,
      (array_agg(last_version order by last_seen_at desc) filter (where last_version is not null))[1] as last_version
    from counted group by app_id, problem_id
  ), locked as materialized (
    select problems.* from problems join touched on problems.app_id = touched.app_id and problems.id = touched.problem_id
    order by problems.app_id, problems.id for no key update of problems
  ), returned as materialized (
    select locked.app_id, locked.id, max(newer.version) as version,
      (array_agg(newer.first_event_id order by newer.first_event_id))[1] as event_id
    from locked join counted on counted.app_id = locked.app_id and counted.problem_id = locked.id
    join json_to_recordset(${asked.versions}) as newer(app_id uuid, hash uuid, version text, version_key text,
      last_seen_at timestamptz, first_event_id uuid) on newer.app_id = counted.app_id and newer.hash = counted.hash
    left join app_facets known on known.app_id = newer.app_id and known.facet = 'version:' || newer.version
    where locked.state = 'resolved' and newer.last_seen_at > locked.state_changed_at
      and case
        when locked.resolved_version is null then true
        when locked.resolved_version_key is not null and newer.version_key is not null
          then newer.version_key collate "C" > locked.resolved_version_key
        else newer.version <> locked.resolved_version
          and (known.first_seen_at is null or known.first_seen_at > locked.state_changed_at)
      end
    group by locked.app_id, locked.id
  ), problem as (
    update problems set event_count = problems.event_count + touched.event_count,
      install_count = problems.install_count + coalesce(new_install.install_count, 0),
      user_count = problems.user_count + coalesce(new_user.user_count, 0),
      first_seen_at = least(problems.first_seen_at, touched.first_seen_at),
      last_seen_at = greatest(problems.last_seen_at, touched.last_seen_at),
      last_event_id = case when touched.last_seen_at >= problems.last_seen_at
        then touched.last_event_id else problems.last_event_id end,
      first_version = coalesce(problems.first_version, touched.first_version),
      last_version = coalesce(touched.last_version, problems.last_version),
      state = case when returned.id is not null then 'open' else problems.state end,
      reopened_at = case when returned.id is not null then touched.last_seen_at else problems.reopened_at end,
      reopened_version = case when returned.id is not null then returned.version else problems.reopened_version end,
      reopened_event_id = case when returned.id is not null then returned.event_id else problems.reopened_event_id end
    from locked
    join touched on touched.app_id = locked.app_id and touched.problem_id = locked.id
    left join new_install on new_install.app_id = locked.app_id and new_install.problem_id = locked.id
    left join new_user on new_user.app_id = locked.app_id and new_user.problem_id = locked.id
    left join returned on returned.app_id = locked.app_id and returned.id = locked.id
    where problems.app_id = locked.app_id and problems.id = locked.id
    returning problems.app_id, problems.id, touched.last_event_id as event_id, touched.last_seen_at as seen_at,
      returned.event_id as reopening_event_id
  ), facet as (
    insert into problem_facets as kept (app_id, hash, facet, event_count, first_seen_at, last_seen_at)
    select app_id, hash, facet, named.event_count, named.first_seen_at, named.last_seen_at
    from json_to_recordset(${asked.facets}) as named(app_id uuid, hash uuid, facet text, event_count integer,
      first_seen_at timestamptz, last_seen_at timestamptz)
    where exists (select from problem_facets known
        where known.app_id = named.app_id and known.hash = named.hash and known.facet = named.facet)
      or (select count(*) from problem_facets known
        where known.app_id = named.app_id and known.hash = named.hash) < ${facetsOfHashMax}
    order by app_id, hash, facet
    on conflict (app_id, hash, facet) do update set event_count = kept.event_count + excluded.event_count,
      last_seen_at = greatest(kept.last_seen_at, excluded.last_seen_at)
  ), app_facet as (
    insert into app_facets as kept (app_id, facet, event_count, first_seen_at, last_seen_at)
    select app_id, facet, named.event_count, named.first_seen_at, named.last_seen_at
    from json_to_recordset(${asked.appFacets}) as named(app_id uuid, facet text, event_count integer,
      first_seen_at timestamptz, last_seen_at timestamptz)
    where exists (select from app_facets known where known.app_id = named.app_id and known.facet = named.facet)
      or (select count(*) from app_facets known where known.app_id = named.app_id
        and starts_with(known.facet, split_part(named.facet, ':', 1))) < ${facetsOfAppMax}
    order by app_id, facet
    on conflict (app_id, facet) do update set event_count = kept.event_count + excluded.event_count,
      last_seen_at = greatest(kept.last_seen_at, excluded.last_seen_at)
  ), problem_day as (
    insert into problem_days as kept (app_id, hash, day, event_count)
    select * from json_to_recordset(${asked.days}) as day(app_id uuid, hash uuid, day date, event_count integer)
    order by app_id, hash, day
    on conflict (app_id, hash, day) do update set event_count = kept.event_count + excluded.event_count
  ), app_hour as (
    insert into app_hours as kept (app_id, kind, hour, event_count)
    select * from json_to_recordset(${asked.hours}) as hour(app_id uuid, kind text, hour timestamptz, event_count integer)
    order by app_id, kind, hour
    on conflict (app_id, hour, kind) do update set event_count = kept.event_count + excluded.event_count
  ), problem_text as (
    insert into problem_texts (app_id, hash, digest, search_text)
    select app_id, hash, digest, search_text
    from json_to_recordset(${asked.texts}) as text(app_id uuid, hash uuid, digest uuid, search_text text)
    where (select count(*) from problem_texts known where known.app_id = text.app_id and known.hash = text.hash)
      < ${textsOfHashMax}
    order by app_id, hash, digest
    on conflict do nothing
  )
  select app_id, id as problem_id, event_id, seen_at, reopening_event_id,
    exists (select from hashed where hashed.app_id = problem.app_id and problem_id = problem.id and is_crowded) as is_crowded
  from problem`,
});

/**
 * Writes the summaries of events, and adds the events to the counts of their problems and apps. Returns the problems
 * that have changed. The hashes of the events must already have problems.
 */
export async function countOccurrences(
  client: pg.PoolClient,
  events: readonly ReadEvent[],
): Promise<Awaited<ReturnType<typeof countStatement>>> {
  const hashes = new Sums<HashCount>();
  const versions = new Sums<{
    version: string | null;
    version_key: string | null;
    last_seen_at: Date;
    first_event_id: string;
  }>();
  const facets = new Sums<Seen & { facet: string }>();
  const appFacets = new Sums<Seen & { facet: string }>();
  const installs = new Sums<{ install: string }>();
  const users = new Sums<{ person: string; level: number }>();
  const days = new Sums<{ day: string; event_count: number }>();
  const hours = new Sums<{ kind: string; hour: Date; event_count: number }>();
  const texts = new Sums<{ digest: string; search_text: string }>();
  for (const event of events) {
    const { appId, kind, receivedAt: at } = event;
    const hour = new Date(at.getTime() - (at.getTime() % 3_600_000));
    hours.add([appId, hour.toISOString(), kind], { app_id: appId, kind, hour, event_count: 0 }, count);
    for (const facet of event.facets) {
      if (!/^(?:environment|version|tag|browser|os):/.test(facet)) continue;
      appFacets.add([appId, facet], { app_id: appId, facet, ...unseen(at) }, see(at));
    }
  }
  for (const event of grouped(events)) {
    const { appId, eventId, version, receivedAt: at } = event;
    const of = { app_id: appId, hash: event.grouping.hash };
    const key = [appId, of.hash];
    hashes.add(
      key,
      { ...of, ...unseen(at), last_event_id: eventId, first_version: version, last_version: version },
      (sum) => {
        see(at)(sum);
        sum.last_event_id = eventId;
        sum.first_version ??= version;
        sum.last_version = version ?? sum.last_version;
      },
    );
    const named = { version, version_key: version === null ? null : (versionKey(version) ?? null), last_seen_at: at };
    versions.add([...key, version ?? ""], { ...of, ...named, first_event_id: eventId }, (sum) => {
      sum.last_seen_at = at;
    });
    for (const facet of event.facets) facets.add([...key, facet], { ...of, facet, ...unseen(at) }, see(at));
    if (event.install !== null) installs.add([...key, event.install], { ...of, install: event.install });
    const person = identifyPerson(appId, event);
    if (person) users.add([...key, person.id], { ...of, person: person.id, level: person.level });
    const day = at.toISOString().slice(0, 10);
    days.add([...key, day], { ...of, day, event_count: 0 }, count);
    const { searchDigest: digest, searchText } = event;
    texts.add([...key, digest], { ...of, digest, search_text: searchText });
    const { stackText } = event;
    if (stackText !== "") {
      const ofStack = digestOf(stackText);
      texts.add([...key, ofStack], { ...of, digest: ofStack, search_text: stackText });
    }
  }
  const touched = await countStatement(client, {
    events: JSON.stringify(events.map(toRow)),
    hashes: hashes.toJson(),
    versions: versions.toJson(),
    facets: facets.toJson(),
    installs: installs.toJson(),
    users: users.toJson(),
    days: days.toJson(),
    texts: texts.toJson(),
    appFacets: appFacets.toJson(),
    hours: hours.toJson(),
  });
  await thinUsers(
    client,
    touched.filter(({ is_crowded }) => is_crowded),
  );
  return touched;
}

type Seen = { event_count: number; first_seen_at: Date; last_seen_at: Date };
type HashCount = Seen & { last_event_id: string; first_version: string | null; last_version: string | null };

/** Sums by key, for a statement that reads them as a recordset. */
class Sums<Sum extends object> {
  readonly #sums = new Map<string, Sum & { app_id: string; hash?: string }>();

  add(key: readonly string[], first: Sum & { app_id: string; hash?: string }, change: (sum: Sum) => void = () => {}) {
    const joined = key.join("\n");
    const sum = this.#sums.get(joined) ?? first;
    this.#sums.set(joined, sum);
    change(sum);
  }

  toJson(): string {
    return JSON.stringify([...this.#sums.values()]);
  }
}

const unseen = (at: Date): Seen => ({ event_count: 0, first_seen_at: at, last_seen_at: at });

const count = (sum: { event_count: number }) => {
  sum.event_count += 1;
};

const see = (at: Date) => (sum: Seen) => {
  count(sum);
  if (at > sum.last_seen_at) sum.last_seen_at = at;
  if (at < sum.first_seen_at) sum.first_seen_at = at;
};

const grouped = (events: readonly ReadEvent[]) =>
  events.filter((event): event is GroupedEvent => event.grouping !== undefined);

const keyOf = ({ appId, grouping }: GroupedEvent) => `${appId} ${grouping.hash}`;

const toRow = (event: ReadEvent) => ({
  app_id: event.appId,
  event_id: event.eventId,
  hash: event.grouping?.hash ?? null,
  received_at: event.receivedAt,
  kind: event.kind,
  title: event.title,
  message: event.message,
  environment: event.environment,
  version: event.version,
  install: event.install,
  user_id: event.userId,
  user_email: event.userEmail,
  user_name: event.userName,
  attachment_count: event.attachmentCount,
  facets: event.facets,
  search_text: event.grouping ? null : [event.searchText, event.stackText].filter(Boolean).join("\n"),
  read_failure: event.readFailure,
});
