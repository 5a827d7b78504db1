import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import { Refusal } from "../../platform/errors.ts";

/** The most e-mails of an organisation in a day (UTC) to one unverified address, and to all of them together. */
const ofAddressMax = 3;
const ofOrganisationMax = 50;
/** The same for a verified address of somebody who is not a member. */
const ofVerifiedMax = 20;

/** Whether an e-mail may be sent, and counts; or why not. */
type Verdict = { isAllowed: true; isCounted: boolean } | { isAllowed: false; why: string };

type Count = { now: Date; organisationId: string; email: string };

/**
 * Counts an e-mail that an organisation sends to an address, in the transaction. Members do not count if their address
 * is verified, or they joined by a mailed link or through the operator: any other member may be a stranger for whom an
 * admin created an account.
 */
export async function countMail(tx: Transaction, { now, organisationId, email }: Count): Promise<Verdict> {
  const address = email.toLowerCase();
  const { isVerified, isMember } = await readAddress(tx, organisationId, address);
  if (isMember) return { isAllowed: true, isCounted: false };
  const addressMax = isVerified ? ofVerifiedMax : ofAddressMax;
  const day = now.toISOString().slice(0, 10);
  // Concurrent counts of one organisation wait for each other.
  const lock = `e-mails of ${organisationId} to strangers`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx);
  await sql`delete from stranger_mails where organisation_id = ${organisationId} and day < ${day}::date`.execute(tx);
  const { rows } = await sql<{ address: string; count: number }>`
    select address, count from stranger_mails
    where organisation_id = ${organisationId} and day = ${day}::date and address in ('', ${address})`.execute(tx);
  const countOf = (of: string) => rows.find((row) => row.address === of)?.count ?? 0;
  const refuse = (why: string): Verdict => ({ isAllowed: false, why: `The organisation has sent ${why} today.` });
  if (countOf(address) >= addressMax) {
    return refuse(`this ${isVerified ? "address" : "unverified address"} ${addressMax} e-mails`);
  }
  if (!isVerified && countOf("") >= ofOrganisationMax) {
    return refuse(`${ofOrganisationMax} e-mails to unverified addresses`);
  }
  await sql`
    insert into stranger_mails as mails (organisation_id, day, address, count)
    select ${organisationId}, ${day}::date, counted, 1 from unnest(${isVerified ? [address] : ["", address]}::text[]) counted
    on conflict (organisation_id, day, address) do update set count = mails.count + 1`.execute(tx);
  return { isAllowed: true, isCounted: true };
}

/** The same for an e-mail whose request is refused with it. Throws `rate_limit_exceeded`. */
export async function limitStrangerMail(
  tx: Transaction,
  now: Date,
  organisationId: string,
  email: string,
): Promise<void> {
  const verdict = await countMail(tx, { now, organisationId, email });
  if (verdict.isAllowed) return;
  const midnight = Date.parse(now.toISOString().slice(0, 10)) + 86_400_000;
  throw new Refusal(
    "rate_limit_exceeded",
    { message: `${verdict.why} Try again after midnight UTC, or send the link yourself.` },
    { "retry-after": `${Math.ceil((midnight - now.getTime()) / 1000)}` },
  );
}

/** Whether an address is verified, and whether it belongs to a member who is known to own it. */
async function readAddress(tx: Transaction, organisationId: string, address: string) {
  const { rows } = await sql<{ isVerified: boolean; isMember: boolean }>`
    select coalesce(bool_or(email_verified_at is not null and provider_organisation_id is null), false) as "isVerified",
      coalesce(bool_or(members.user_id is not null and (
        email_verified_at is not null and provider_organisation_id is null or joined_by in ('setup', 'apply', 'mailed_invitation')
      )), false) as "isMember"
    from users left join members on members.organisation_id = ${organisationId} and members.user_id = users.id
    where email = ${address}`.execute(tx);
  return rows[0] ?? { isVerified: false, isMember: false };
}
