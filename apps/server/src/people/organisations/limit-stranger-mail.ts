import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import { Refusal } from "../../platform/errors.ts";

/** Most e-mails of an organisation in a day (UTC): to one address that is not verified, and to all such together. */
const ofAddressMax = 3;
const ofOrganisationMax = 50;

/**
 * Counts an e-mail that an organisation has sent to an address, with the transaction; one to a verified address or to a
 * member is not counted. Throws `rate_limit_exceeded`.
 */
export async function limitStrangerMail(
  tx: Transaction,
  now: Date,
  organisationId: string,
  email: string,
): Promise<void> {
  const address = email.toLowerCase();
  if (await isKnownAddress(tx, organisationId, address)) return;
  const day = now.toISOString().slice(0, 10);
  const midnight = Date.parse(day) + 86_400_000;
  const refuse = (what: string) =>
    new Refusal(
      "rate_limit_exceeded",
      { message: `${what} Try again after midnight UTC, or hand the link over yourself.` },
      { "retry-after": `${Math.ceil((midnight - now.getTime()) / 1000)}` },
    );
  await sql`delete from stranger_mails where organisation_id = ${organisationId} and day < ${day}::date`.execute(tx);
  // The row of the organisation first: those who count at the same time take turns at it.
  if (!(await count(tx, organisationId, day, "", ofOrganisationMax))) {
    throw refuse(`The organisation has sent ${ofOrganisationMax} e-mails to unverified addresses today.`);
  }
  if (!(await count(tx, organisationId, day, address, ofAddressMax))) {
    throw refuse(`The organisation has sent this unverified address ${ofAddressMax} e-mails today.`);
  }
}

/** Whether what an organisation has sent to an address is limited no further. The one place that says what is verified. */
async function isKnownAddress(tx: Transaction, organisationId: string, address: string): Promise<boolean> {
  const { rows } = await sql`
    select from users where email = ${address} and ((email_verified_at is not null and provider_organisation_id is null) or exists (
      select from members where members.organisation_id = ${organisationId} and members.user_id = users.id))`.execute(
    tx,
  );
  return rows.length > 0;
}

async function count(tx: Transaction, organisationId: string, day: string, address: string, most: number) {
  const { rows } = await sql`
    insert into stranger_mails as mails (organisation_id, day, address, count)
    values (${organisationId}, ${day}::date, ${address}, 1)
    on conflict (organisation_id, day, address) do update set count = mails.count + 1 where mails.count < ${most}
    returning count`.execute(tx);
  return rows.length > 0;
}
