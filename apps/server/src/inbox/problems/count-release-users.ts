import type pg from "pg";
import { preparedStatement } from "../../platform/database/statements.ts";
import { addToSketch, emptySketch, estimateDistinct } from "./count-distinct.ts";
import type { ReadEvent } from "./count-occurrences.ts";
import { identifyPerson } from "./identify-person.ts";

const findStatement = preparedStatement({
  name: "find_release_users",
  parameters: { appIds: "uuid[]", versions: "text[]" },
  row: { app_id: "uuid", version: "text", users: "bytea" },
  text: ({ appIds, versions }) => `select app_id, version, users from app_releases
    join unnest(${appIds}, ${versions}) as asked (app_id, version) using (app_id, version)`,
});

/** Only versions among the app's facets, whose number is bounded. */
const keepStatement = preparedStatement({
  name: "keep_release_users",
  parameters: { releases: "json" },
  row: {},
  text: ({ releases }) => `insert into app_releases (app_id, version, users, user_count)
    select app_id, version, decode(users, 'hex'), user_count
    from json_to_recordset(${releases}) as release(app_id uuid, version text, users text, user_count integer)
    where exists (select from app_facets known where known.app_id = release.app_id and facet = 'version:' || version)
    order by app_id, version
    on conflict (app_id, version) do update set users = excluded.users, user_count = excluded.user_count`,
});

/** Counts the users of the versions that events name. Nobody else may read events of these apps at the same time. */
export async function countReleaseUsers(client: pg.PoolClient, events: readonly ReadEvent[]): Promise<void> {
  const seen = new Map<string, { appId: string; version: string; people: Set<string> }>();
  for (const event of events) {
    const { appId, version } = event;
    const person = identifyPerson(appId, event);
    if (version === null || !person) continue;
    const key = `${appId} ${version}`;
    const release = seen.get(key) ?? { appId, version, people: new Set() };
    seen.set(key, release);
    release.people.add(person.id);
  }
  if (seen.size === 0) return;
  const all = [...seen.values()];
  const known = await findStatement(client, {
    appIds: all.map(({ appId }) => appId),
    versions: all.map(({ version }) => version),
  });
  const sketches = new Map(known.map(({ app_id, version, users }) => [`${app_id} ${version}`, users]));
  const changed = all.flatMap(({ appId, version, people }) => {
    const users = sketches.get(`${appId} ${version}`) ?? emptySketch();
    const news = [...people].filter((id) => addToSketch(users, id));
    if (news.length === 0) return [];
    return [{ app_id: appId, version, users: users.toString("hex"), user_count: estimateDistinct(users) }];
  });
  if (changed.length > 0) await keepStatement(client, { releases: JSON.stringify(changed) });
}
