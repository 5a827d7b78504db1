/** The plans of an organisation, the smallest first. */
export const plans = ["free", "team", "business"] as const;
export type Plan = (typeof plans)[number];

/** The active installs per calendar month (UTC) that each plan allows. An organisation can have its own limit instead. */
export const monthlyInstallLimits = { free: 1_000, team: 10_000, business: 100_000 } as const satisfies Record<
  Plan,
  number
>;
