import type pg from "pg";

const toggle = (way: "enable" | "disable") => [
  `alter table ticket_activities ${way} trigger note_ticket_activity`,
  `alter table tickets ${way} trigger note_ticket_change`,
];

/** How webhooks of tickets can be, beside an organisation that has none: the statements that make it so, and those that undo it. */
const states = {
  "no triggers": { make: toggle("disable"), undo: toggle("enable") },
  "a webhook of new tickets": {
    make: [
      `insert into organisation_hooks (organisation_id, url, secret, created_at, ticket_types)
      select id, 'https://hooks.example.test', 'sealed', now(), '{ticket.created}' from organisations`,
    ],
    undo: ["delete from organisation_hooks", "delete from ticket_changes"],
  },
} satisfies Record<string, { make: string[]; undo: string[] }>;

/**
 * Does the same in each state of webhooks and, in turn with it, without a webhook. No worker may run: what is measured is
 * what noting a change costs those who file, not telling a webhook of it.
 */
export async function inEachHookState<Measured>(
  pool: pg.Pool,
  rounds: number,
  measure: () => Promise<Measured>,
): Promise<Map<string, { without: Measured[]; within: Measured[] }>> {
  const measured = new Map<string, { without: Measured[]; within: Measured[] }>();
  for (const [name, { make, undo }] of Object.entries(states)) {
    const taken = { without: [] as Measured[], within: [] as Measured[] };
    for (let round = 0; round < rounds; round++) {
      taken.without.push(await measure());
      for (const statement of make) await pool.query(statement);
      taken.within.push(await measure());
      for (const statement of undo) await pool.query(statement);
      process.stderr.write(".");
    }
    measured.set(name, taken);
  }
  return measured;
}
