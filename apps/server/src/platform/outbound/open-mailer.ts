import type { Transporter } from "nodemailer";
import { Counter } from "prom-client";
import type { Config } from "../config/config.ts";
import type { Log } from "../observe/log.ts";
import { registry } from "../observe/metrics.ts";
import { oneLine, type QueuedMail } from "./queue-mail.ts";

/** For a server that hangs; one that is slow to look a sender up takes some seconds. */
const timeoutMs = 30_000;
/** Nobody waits any longer for an invitation or a link. */
const hoursTriedMax = 72;

const mailsSent = new Counter({
  name: "lodged_mails_total",
  help: "E-mails by outcome: sent, permanently refused by the server, or given up after 3 days.",
  labelNames: ["outcome"],
  registers: [registry],
});

/** Sends e-mail through the SMTP server of the settings. */
export type Mailer = {
  /** Makes one try at a message. Throws what the server said, or why there is none. */
  post: (mail: QueuedMail) => Promise<void>;
  /**
   * Sends a message, or throws where it may be tried again. One that the server refuses for good, or that has waited for
   * 3 days, is given up with a warning in the log.
   */
  send: (mail: QueuedMail, queuedAt: Date) => Promise<void>;
  close: () => void;
};

/** Connects at the first message, and keeps what it has for the next ones. */
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
        // A wrong password of ours (535) may be put right by the operator.
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

/** Signs in to the SMTP server and sends nothing. Throws what it said, or why it does not answer in time. */
export async function greetMailServer(url: string, timeoutMs: number): Promise<void> {
  const transport = await openTransport(url, timeoutMs);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}
