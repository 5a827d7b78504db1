import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { isCounted, rememberCounted } from "./counted-installs.ts";
import { hashInstall } from "./hash-install.ts";
import { dayOf, decides, limitOf, monthOf, slotOf, spreadInstallsOf } from "./month-sql.ts";
import { suspendSql } from "./suspend.ts";

const shards = 16;

/**
 * CTEs that count an install as active in its month (contract section 5), in the transaction that made it active.
 * `request` names a CTE of organisation_id, app_id, sdk_key_id, install (null for none) and at, with at most one row.
 *
 * An install that was already seen this month costs a look-up and writes nothing. A new one writes its row, one of the
 * 16 counters of its key and one of the organisation's 16 rows or, in a month that decides, the month's own row. There
 * requests run one at a time, so that exactly one crosses the limit, and suspends ingestion.
 */
export const countInstallSql = (request: string) => `
  new_install as (
    insert into active_installs (organisation_id, month, slot, install)
    select organisation_id, month, ${slotOf("month")}, install
    from (select organisation_id, install, ${monthOf("at")} as month from ${request} where install is not null) seen
    on conflict do nothing
    returning organisation_id, month, install
  ), by_key as (
    insert into key_installs as counts (app_id, day, sdk_key_id, shard, installs)
    select app_id, ${dayOf("at")}, sdk_key_id, get_byte(uuid_send(new_install.install), 0) % ${shards}, 1
    from new_install cross join ${request}
    on conflict (app_id, day, sdk_key_id, shard) do update set installs = counts.installs + 1
  ), undecided_month as materialized (
    select new_install.* from new_install join allowance_months using (organisation_id, month) where not decides
  ), spread as (
    insert into install_counts as counts (organisation_id, month, shard, installs)
    select organisation_id, month, get_byte(uuid_send(install), 0) % ${shards}, 1 from undecided_month
    on conflict (organisation_id, month, shard) do update set installs = counts.installs + 1
  ), opening as materialized (
    select new_install.organisation_id, new_install.month, ${limitOf("organisations")} as install_limit,
      ${decides("new_install.organisation_id", "new_install.month")} as decides,
      ${spreadInstallsOf("new_install")} as spread_installs, ${dayOf("at")} as today, at
    from new_install join ${request} using (organisation_id)
    join organisations on organisations.id = new_install.organisation_id
    where not exists (select from undecided_month)
  ), counted as (
    insert into allowance_months as counted (organisation_id, month, install_limit, decides, installs, counted_on, crossed_on)
    select organisation_id, month, install_limit, decides, 1 + spread_installs, today,
      case when decides and 1 + spread_installs > install_limit then today end
    from opening
    on conflict (organisation_id, month) do update set installs = counted.installs + 1, counted_on = excluded.counted_on,
      crossed_on = coalesce(counted.crossed_on, case
        when counted.decides and counted.installs + excluded.installs > counted.install_limit then excluded.counted_on end)
    returning new.organisation_id, new.month, new.crossed_on, new.install_limit, new.installs,
      old.crossed_on is null and new.crossed_on is not null as crosses
  ), crossed as materialized (
    select counted.organisation_id, counted.month, crossed_on, counted.install_limit,
      counted.installs + spread_installs as installs, at
    from counted join opening using (organisation_id) where crosses
  ), ${suspendSql("crossed")}`;

const countStatement = preparedStatement({
  name: "count_install",
  parameters: { organisationId: "uuid", appId: "uuid", keyId: "uuid", install: "uuid", at: "timestamptz" },
  row: {},
  text: ({ organisationId, appId, keyId, install, at }) => `with request as materialized (
    select ${organisationId} as organisation_id, ${appId} as app_id, ${keyId} as sdk_key_id, ${install} as install,
      ${at} as at),
  ${countInstallSql("request")}
  select`,
});

/** Counts an install of an app as active this month, for one of its keys. Counting it again changes nothing. */
export async function countInstall(
  { pool, clock }: Pick<Deps, "pool" | "clock">,
  app: { organisationId: string; id: string; keyId: string },
  installId: string,
): Promise<void> {
  const now = clock.now();
  const install = hashInstall(app.id, installId);
  if (isCounted(pool, now, install)) return;
  await countStatement(pool, { organisationId: app.organisationId, appId: app.id, keyId: app.keyId, install, at: now });
  rememberCounted(pool, now, install);
}
