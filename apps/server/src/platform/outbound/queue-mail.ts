import { randomUUID } from "node:crypto";
import type { Config } from "../config/config.ts";
import type { Transaction } from "../database/database.ts";
import { addJob } from "../jobs/jobs.ts";

/** The task that sends messages of `queueMail`. */
export const mailTask = "send_mail";

/** A plain text message to one address. */
export type Mail = { to: string; subject: string; text: string };

/** Whether this deployment sends e-mail at all (contract section 7, LODGE_SMTP_URL). */
export const sendsMail = ({ smtpUrl }: Pick<Config, "smtpUrl">): boolean => smtpUrl !== undefined;

/** Replaces line breaks and control characters, so that user input in a subject or line cannot start a header. */
export const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();

/** A queued message. Its id is the same in every attempt. */
export type QueuedMail = Mail & { id: string };

/** Sends a message after the transaction commits. Does nothing if this deployment sends no e-mail. */
export async function queueMail(tx: Transaction, config: Config, mail: Mail): Promise<void> {
  if (!sendsMail(config)) return;
  const queued: QueuedMail = { id: randomUUID(), ...mail };
  await addJob(tx, mailTask, queued);
}
