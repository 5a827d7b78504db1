/** The plans of an organisation, the smallest first. */
export const plans = ["free", "team", "business"] as const;
export type Plan = (typeof plans)[number];

/** Installs that may be active in a calendar month (UTC) on each plan. An organisation can have a limit of its own instead. */
export const monthlyInstallLimits = { free: 1_000, team: 10_000, business: 100_000 } as const satisfies Record<
  Plan,
  number
>;
