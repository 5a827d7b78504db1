import type { Transporter } from "nodemailer";
import { Counter } from "prom-client";
import type { Config } from "../config/config.ts";
import type { Log } from "../observe/log.ts";
import { registry } from "../observe/metrics.ts";
import { oneLine, type QueuedMail } from "./queue-mail.ts";

/** The timeout of a mail server. A server that looks up senders may take some seconds. */
const timeoutMs = 30_000;
/** The hours after which an e-mail is abandoned: an invitation or link would be out of date. */
const hoursTriedMax = 72;

const mailsSent = new Counter({
  name: "lodged_mails_total",
  help: "E-mails by outcome: sent, permanently refused by the server, or given up after 3 days.",
  labelNames: ["outcome"],
  registers: [registry],
});

/** Sends e-mail through the SMTP server of the settings. */
export type Mailer = {
  /** Makes one attempt to send a message. Throws the error of the server, or says that there is no server. */
  post: (mail: QueuedMail) => Promise<void>;
  /**
   * Sends a message; throws if it can be retried. A message that the server refuses permanently, or that is older than
   * 3 days, is dropped with a warning in the log.
   */
  send: (mail: QueuedMail, queuedAt: Date) => Promise<void>;
  close: () => void;
};

/** Opens a mailer, which connects at the first message and reuses its connections. */
export function openMailer(
  { smtpUrl, mailFrom }: Pick<Config, "smtpUrl" | "mailFrom">,
  log: Log,
  urls: { readonly base: string },
): Mailer {
  let opened: Promise<Transporter> | undefined;
  const giveUp = (outcome: "refused" | "given_up", id: string, error?: unknown) => {
    mailsSent.inc({ outcome });
    log.warn({ err: error, mailId: id, outcome }, "an e-mail was not sent");
  };
  const post = async ({ id, to, subject, text }: QueuedMail) => {
    if (!smtpUrl) throw new Error("this server sends no e-mail");
    opened ??= openTransport(smtpUrl, timeoutMs);
    const transport = await opened;
    await transport.sendMail({
      from: mailFrom,
      to: { name: "", address: to },
      subject: oneLine(subject),
      text,
      messageId: `<${id}@${new URL(urls.base).hostname}>`,
    });
    mailsSent.inc({ outcome: "sent" });
  };
  return {
    post,
    send: async (mail, queuedAt) => {
      const { id } = mail;
      if (!smtpUrl || Date.now() - queuedAt.getTime() > hoursTriedMax * 3_600_000) return giveUp("given_up", id);
      try {
        await post(mail);
      } catch (error) {
        const { responseCode = 0 } = error as { responseCode?: number };
        // The operator may fix a wrong password (535).
        if (responseCode < 500 || responseCode === 535 || responseCode === 530) throw error;
        giveUp("refused", id, error);
      }
    },
    close: () => void opened?.then((transport) => transport.close()),
  };
}

async function openTransport(url: string, timeoutMs: number): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  return createTransport({ url, pool: true, maxConnections: 2, ...timeouts });
}

/** Signs in to the SMTP server without sending anything. Throws its error, or if it does not respond in time. */
export async function greetMailServer(url: string, timeoutMs: number): Promise<void> {
  const transport = await openTransport(url, timeoutMs);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}
