import { oneLine } from "../../../platform/outbound/queue-mail.ts";
import { shorten } from "../../problems/readable.ts";
import { mailAddressOf } from "../../subscribers/confirm-subscriber.ts";
import { summariseReport } from "../summarise-report.ts";
import type { ActingKind } from "./kind.ts";

/** The length of a message in a mail; the whole of it is behind the link. */
const messageLengthMax = 4_000;

/**
 * A message in plain text to an address, with the delivery's id as its own, so that mail programs show it once however
 * often it was sent. It has arrived when the deployment's SMTP server has taken it.
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
