import { randomUUID } from "node:crypto";
import type { Config } from "../config/config.ts";
import type { Transaction } from "../database/database.ts";
import { addJob } from "../jobs/jobs.ts";

/** The task that sends what `queueMail` has put up. */
export const mailTask = "send_mail";

/** A message in plain text to one address. */
export type Mail = { to: string; subject: string; text: string };

/** Whether this deployment sends e-mail at all (contract section 7, LODGE_SMTP_URL). */
export const sendsMail = ({ smtpUrl }: Pick<Config, "smtpUrl">): boolean => smtpUrl !== undefined;

/** Makes text of people safe for a subject or a place within a line: it neither ends the line nor begins a header. */
export const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();

/** A message as it waits: its id is the same in every try. */
export type QueuedMail = Mail & { id: string };

/** Has a message sent if and when the transaction commits. Does nothing where this deployment sends none. */
export async function queueMail(tx: Transaction, config: Config, mail: Mail): Promise<void> {
  if (!sendsMail(config)) return;
  const queued: QueuedMail = { id: randomUUID(), ...mail };
  await addJob(tx, mailTask, queued);
}
