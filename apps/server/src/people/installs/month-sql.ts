import { monthlyInstallLimits } from "@lodge/contract/plans";

/** SQL: the day (UTC) of a timestamptz. */
export const dayOf = (at: string) => `(${at} at time zone 'UTC')::date`;

/** SQL: the first day of the month (UTC) of a timestamptz. */
export const monthOf = (at: string) => `date_trunc('month', ${at} at time zone 'UTC')::date`;

/** SQL: the first day of the month `count` months after another. */
export const monthsAfter = (month: string, count: number) => `(${month} + interval '${count} months')::date`;

/** SQL: the partition of active_installs for a month. */
export const slotOf = (month: string) =>
  `((extract(year from ${month}) * 12 + extract(month from ${month}))::integer % 3)`;

/** SQL: the current limit of active installs of a row of organisations. */
export const limitOf = (organisation: string) => `coalesce(${organisation}.monthly_install_limit,
  case ${organisation}.plan ${Object.entries(monthlyInstallLimits)
    .map(([plan, limit]) => `when '${plan}' then ${limit}`)
    .join(" ")} end)`;

/** SQL: the active installs of a row of allowance_months, summed over install_counts. */
export const spreadInstallsOf = (month: string) => `coalesce((
  select sum(installs) from install_counts
  where install_counts.organisation_id = ${month}.organisation_id and install_counts.month = ${month}.month), 0)::integer`;

/** SQL: whether exceeding the limit in a month suspends an organisation: the two months before it were over. */
export const decides = (organisationId: string, month: string) => `(
  select count(*) = 2 from allowance_months before
  where before.organisation_id = ${organisationId}
    and before.month in (${monthsAfter(month, -1)}, ${monthsAfter(month, -2)})
    and not before.forgiven and before.installs + ${spreadInstallsOf("before")} > before.install_limit)`;

/** SQL: a month with its numbers as the audit log shows it, `count` months after another. */
export const numbersOf = (organisationId: string, month: string, count: number) => `(
  select jsonb_build_object('month', to_char(shown.month, 'YYYY-MM'),
    'installs', shown.installs + ${spreadInstallsOf("shown")}, 'limit', shown.install_limit)
  from allowance_months shown
  where shown.organisation_id = ${organisationId} and shown.month = ${monthsAfter(month, count)})`;
