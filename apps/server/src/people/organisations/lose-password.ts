import type { LostPassword } from "@lodge/contract/dashboard/access";
import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { oneLine, queueMail, sendsMail } from "../../platform/outbound/queue-mail.ts";
import { limitComingIn } from "../access/limit-sign-in.ts";
import { isPasswordAccountOf } from "../access/password-account.ts";
import { hasAccount } from "./find-invitation.ts";
import { hoursValid, writePasswordLink } from "./make-password-link.ts";

/** The task that mails a link to people who lost their password. */
export const lostPasswordTask = "mail_password_link";

/** A person is sent at most one link in this time. */
const secondsBetween = 60;
/** The account of an unverified address may have been created for a stranger. */
const unverifiedPerDayMax = 3;

/**
 * Queues an e-mail with a link to choose a new password. Only the worker checks whether the person exists, so that
 * neither the response nor its time reveals it. Throws `mail_not_set_up` or `rate_limit_exceeded`.
 */
export async function losePassword(deps: Deps, address: string, { email }: LostPassword): Promise<void> {
  if (!sendsMail(deps.config)) throw new Refusal("mail_not_set_up");
  await limitComingIn(deps, address);
  await addJob(deps.db, lostPasswordTask, { email: email.toLowerCase() });
  deps.announceJobs();
}

/**
 * Mails the link to people with an account, once a minute, and, if the address is not verified, three times a day
 * (UTC); does nothing for anybody else. People who were removed from every organisation are included: without a
 * password they could not accept an invitation. The latest mailed link stays valid, however often others ask.
 */
export async function mailPasswordLink(deps: Deps, { email }: LostPassword): Promise<void> {
  const { db, clock, config, urls } = deps;
  await db.transaction().execute(async (tx) => {
    const person = await tx
      .selectFrom("users")
      .select(["users.id", "users.name", "users.email_verified_at"])
      .where(isPasswordAccountOf(email))
      .where(({ exists, not, selectFrom }) =>
        not(exists(selectFrom("organisations").select("organisations.id").whereRef("agent_user_id", "=", "users.id"))),
      )
      .forNoKeyUpdate() // of two concurrent requests, the second finds the link of the first
      .executeTakeFirst();
    if (!person || !(await hasAccount(tx, email))) return;
    const recent = await tx
      .selectFrom("password_links")
      .select("user_id")
      .where("user_id", "=", person.id)
      .where("created_at", ">", new Date(clock.now().getTime() - secondsBetween * 1000))
      .executeTakeFirst();
    if (recent) return;
    if (person.email_verified_at === null && !(await countLinkMail(tx, person.id, clock.now()))) return;
    const { url } = await writePasswordLink(tx, deps, person.id, null);
    await queueMail(tx, config, {
      to: email,
      subject: "Choose a new password for Lodge",
      text: `Hello ${oneLine(person.name)},\n\nTo choose a new password for Lodge at ${urls.base}, open\n${url}\n\nThe link works once, for ${hoursValid} hours. If you did not request it, ignore this message. Your password does not change.\n`,
    });
  });
  deps.announceJobs();
}

/** Counts a link to an unverified address; returns false if it has had its links of the day. */
async function countLinkMail(tx: Transaction, userId: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    update users set link_mails_on = day, link_mails = case when link_mails_on = day then link_mails else 0 end + 1
    from (select ${now.toISOString().slice(0, 10)}::date as day) today
    where id = ${userId} and (link_mails_on is distinct from day or link_mails < ${unverifiedPerDayMax})
    returning id`.execute(tx);
  return rows.length > 0;
}
