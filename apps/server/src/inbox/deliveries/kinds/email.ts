import { oneLine } from "../../../platform/outbound/queue-mail.ts";
import { shorten } from "../../problems/readable.ts";
import { mailAddressOf } from "../../subscribers/confirm-subscriber.ts";
import { summariseReport } from "../summarise-report.ts";
import type { ActingKind } from "./kind.ts";

/** Longer messages are cut; the linked page has the whole text. */
const messageLengthMax = 4_000;

/**
 * A plain-text e-mail. Its Message-ID is made of the delivery's id, so that mail programs show it once however often it
 * is sent. It counts as delivered once the SMTP server has accepted it.
 */
export const email: ActingKind = async (deps, delivery, { mailer }) => {
  const { title, message, url, facts, problemUrl } = summariseReport(deps, delivery);
  const text = [
    shorten(message, messageLengthMax),
    oneLine(facts.join(" · ")),
    url,
    problemUrl !== null && `Problem: ${problemUrl}`,
    `You get this because the reports of ${oneLine(delivery.appName)} are sent to this address. Owners and admins of the organisation can stop this on the Subscribers page.`,
  ];
  try {
    await mailer.post({
      id: delivery.id,
      to: mailAddressOf(delivery.url),
      subject: `${delivery.appName}: ${title}`,
      text: text.filter(Boolean).join("\n\n"),
    });
    return { status: null, response: null, reason: null };
  } catch (error) {
    const {
      responseCode: status = null,
      response = null,
      message: reason,
    } = error as Error & {
      responseCode?: number;
      response?: string;
    };
    return {
      status,
      response,
      reason: status === null ? `The e-mail was not sent: ${reason}.` : `The mail server answered ${status}.`,
    };
  }
};
