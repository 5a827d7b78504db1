import type { LostPassword } from "@lodge/contract/dashboard/access";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { oneLine, queueMail, sendsMail } from "../../platform/outbound/queue-mail.ts";
import { limitComingIn } from "../access/limit-sign-in.ts";
import { isPasswordAccountOf } from "../access/password-account.ts";
import { hasAccount } from "./find-invitation.ts";
import { hoursValid, writePasswordLink } from "./make-password-link.ts";

/** The task that mails a link to whoever has lost a password. */
export const lostPasswordTask = "mail_password_link";

/** A person is sent no more links than one in this time. */
const secondsBetween = 60;

/**
 * Has a link sent by which a person chooses a new password. Whether there is such a person is found out by the worker, so
 * that neither the answer nor the time that it takes tells. Throws `mail_not_set_up` or `rate_limit_exceeded`.
 */
export async function losePassword(deps: Deps, address: string, { email }: LostPassword): Promise<void> {
  if (!sendsMail(deps.config)) throw new Refusal("mail_not_set_up");
  await limitComingIn(deps, address);
  await addJob(deps.db, lostPasswordTask, { email: email.toLowerCase() });
  deps.announceJobs();
}

/**
 * Mails the link to whoever has an account, once a minute; does nothing for anybody else. Who was removed from every
 * organisation is one of them: without a password they could accept no invitation.
 */
export async function mailPasswordLink(deps: Deps, { email }: LostPassword): Promise<void> {
  const { db, clock, config, urls } = deps;
  await db.transaction().execute(async (tx) => {
    const person = await tx
      .selectFrom("users")
      .select(["users.id", "users.name"])
      .where(isPasswordAccountOf(email))
      .where(({ exists, not, selectFrom }) =>
        not(exists(selectFrom("organisations").select("organisations.id").whereRef("agent_user_id", "=", "users.id"))),
      )
      .forNoKeyUpdate() // of two who ask at the same time, the second finds the link of the first
      .executeTakeFirst();
    if (!person || !(await hasAccount(tx, email))) return;
    const recent = await tx
      .selectFrom("password_links")
      .select("user_id")
      .where("user_id", "=", person.id)
      .where("created_at", ">", new Date(clock.now().getTime() - secondsBetween * 1000))
      .executeTakeFirst();
    if (recent) return;
    const { url } = await writePasswordLink(tx, deps, person.id, null);
    await queueMail(tx, config, {
      to: email,
      subject: "Your new password for Lodge",
      text: `Hello ${oneLine(person.name)},\n\nto choose a new password for Lodge at ${urls.base}, open\n${url}\n\nThe link works once, for ${hoursValid} hours. If you have not asked for it, leave it alone: your password stays as it is.\n`,
    });
  });
  deps.announceJobs();
}
