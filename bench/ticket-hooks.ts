import type pg from "pg";

const toggle = (way: "enable" | "disable") => [
  `alter table ticket_activities ${way} trigger note_ticket_activity`,
  `alter table tickets ${way} trigger note_ticket_change`,
];

/** States of ticket webhooks other than none, with the statements that set them up and undo them. */
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
 * Measures each state of webhooks, alternately with no webhook. No worker may run: this measures the cost of recording
 * a change while filing, not the delivery to the webhook.
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
