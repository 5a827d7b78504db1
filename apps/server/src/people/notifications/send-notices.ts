import { CompiledQuery, sql } from "kysely";
import type { Dispatcher } from "undici";
import { isOfStatement, type Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { addJobsSql } from "../../platform/jobs/jobs.ts";
import { isOutage } from "../../platform/outage.ts";
import { escapeForSlack } from "../../platform/outbound/escape-for-slack.ts";
import { oneLine, queueMail } from "../../platform/outbound/queue-mail.ts";
import { sendMessage } from "../../platform/outbound/send-message.ts";
import { sendOpened } from "../../platform/outbound/send-opened.ts";
import { countMail } from "../stranger-mails/limit-stranger-mail.ts";
import { type NoticeRow, notInTrash, noticeColumns, noticeJoins } from "./notice-rows.ts";
import { openSlackUrl } from "./slack-url.ts";

/** The task that posts queued messages of `sendNotices` to Slack. */
export const postTask = "post_notices";

/** The time that a notification waits, to be read in the dashboard or joined by others, before it is sent elsewhere. */
export const waitMs = 60_000;
/** A message lists this many notifications, and counts the rest. */
const listedMax = 20;
const hoursTriedMax = 72;

/** A queued message to a Slack incoming webhook, with the address encrypted. */
export type SlackPost = { organisationId: string; userId: string; slackUrl: string; text: string };

type Row = NoticeRow & {
  organisation: string;
  email: string;
  name: string;
  mail: string[];
  slack: string[];
  slackUrl: string | null;
};

/**
 * Sends members the notifications that they chose: those that are a minute old and unread, in one message for each
 * member. Each is sent once, or not at all if the mail server or Slack refuses it, or an unverified address has had its
 * e-mails of the day. Each member has their own transaction, so that a failure holds up nobody else. The worker runs it
 * every minute.
 */
export async function sendNotices(deps: Sending): Promise<void> {
  const until = new Date(deps.clock.now().getTime() - waitMs);
  const { rows: due } = await sql<Member>`
    select organisation_id as "organisationId", user_id as "userId" from notice_choices chosen
    where ${hasDue(until)} order by organisation_id, user_id`.execute(deps.db);
  let sent = false;
  for (const member of due) {
    try {
      sent = (await deps.db.transaction().execute((tx) => sendTo(tx, deps, member, until))) || sent;
    } catch (error) {
      if (isOutage(error) && !isOfStatement(error)) throw error;
      deps.log.error({ err: error, ...member }, "could not send a member's notifications");
    }
  }
  if (sent) deps.announceJobs();
}

type Sending = Pick<Deps, "db" | "clock" | "config" | "urls" | "announceJobs" | "log">;
type Member = { organisationId: string; userId: string };

const hasDue = (until: Date) => sql`exists (
  select from notices
  where notices.organisation_id = chosen.organisation_id and notices.user_id = chosen.user_id
    and notices.kind = any(chosen.mail || chosen.slack) and notices.read_at is null
    and notices.created_at > chosen.sent_until and notices.created_at <= ${until})`;

/** Returns whether there was something to send. */
async function sendTo(
  tx: Transaction,
  { config, urls, clock }: Sending,
  { organisationId, userId }: Member,
  until: Date,
): Promise<boolean> {
  const { rows } = await sql<Row>`
    with due as (
      update notice_choices chosen set sent_until = ${until}
      where organisation_id = ${organisationId} and user_id = ${userId} and ${hasDue(until)}
      returning chosen.*, old.sent_until as sent_before
    )
    select ${noticeColumns}, organisations.name as organisation, users.email, users.name, due.mail, due.slack,
      due.slack_url as "slackUrl"
    from due
    join members on members.organisation_id = due.organisation_id and members.user_id = due.user_id
    join organisations on organisations.id = due.organisation_id
    join users on users.id = due.user_id
    join notices on notices.organisation_id = due.organisation_id and notices.user_id = due.user_id
      and notices.read_at is null and notices.created_at > due.sent_before and notices.created_at <= ${until}
    ${noticeJoins}
    where ${notInTrash}
    order by notices.id`.execute(tx);
  const [first] = rows;
  if (!first) return false;
  const { email, name, mail, slack, slackUrl, organisation } = first;
  const now = clock.now();
  const mailed = rows.filter(({ kind }) => mail.includes(kind));
  const posted = rows.filter(({ kind }) => slack.includes(kind));
  const verdict = mailed.length > 0 ? await countMail(tx, { now, organisationId, email }) : undefined;
  if (verdict?.isAllowed) {
    const end = verdict.isCounted ? `\n${unverified(urls.base)}` : "";
    await queueMail(tx, config, {
      to: email,
      subject: subjectOf(mailed, organisation),
      text: `Hello ${oneLine(name)},\n\n${inText(mailed, urls.base)}\n\nChoose what Lodge sends you: ${urls.base}/profile\n${end}`,
    });
  }
  if (posted.length > 0 && slackUrl !== null) {
    const post: SlackPost = { organisationId, userId, slackUrl, text: inSlack(posted, urls.base) };
    await tx.executeQuery(CompiledQuery.raw(addJobsSql(postTask, "select $1::json, now()"), [JSON.stringify(post)]));
  }
  return true;
}

/**
 * Posts a message to Slack, or throws if it should be retried. A message that the address refuses, or that has waited
 * for 3 days, is given up with a warning in the log.
 */
export async function postNotices(
  { log, sealing }: Pick<Deps, "log" | "sealing">,
  agent: Dispatcher,
  post: SlackPost,
  queuedAt: Date,
) {
  const open = () => ({ url: openSlackUrl(sealing, post, post.slackUrl), isUrlSecret: true, secrets: [] });
  const { status, reason } = await sendOpened(open, ({ url }) =>
    sendMessage(agent, url, {}, Buffer.from(JSON.stringify({ text: post.text }))),
  );
  if (reason === null) return;
  const isRefused = status !== null && status < 500 && status !== 429;
  if (!isRefused && Date.now() - queuedAt.getTime() < hoursTriedMax * 3_600_000) throw new Error(reason);
  log.warn({ reason }, "could not post notifications to Slack");
}

/** An admin can create an account for any address: its owner confirms with a link that they want the e-mails. */
const unverified = (base: string) =>
  `This address is not verified yet, so Lodge sends it only a few e-mails a day. To verify it, choose a new password with "Forgot password?" at ${base}\n`;

const verbs = {
  mentioned: "mentioned you on",
  assigned: "assigned you",
  commented: "commented on",
  run_finished: "finished work on",
  run_asked: "asks a question on",
  run_held: "cannot start work on",
  subscriber_disabled: "says:",
  delivery_dead: "says:",
  quota_warning: "says:",
  organisation_suspended: "says:",
  disk_low: "says:",
  problem_new: "says:",
  problem_back: "says:",
  problem_spike: "says:",
} as const satisfies Record<NoticeRow["kind"], string>;

const named = ({ number, title, text }: NoticeRow) => (number ? `${number} ${title}` : (title ?? text ?? ""));
const linkOf = ({ ticketId, problemId, appId }: NoticeRow, base: string) => {
  if (ticketId !== null) return `${base}/tickets/${ticketId}`;
  if (problemId !== null) return `${base}/problems/${problemId}`;
  return appId !== null ? `${base}/reports/${appId}` : `${base}/inbox`;
};
const inWords = (notice: NoticeRow) => `${notice.actor} ${verbs[notice.kind]} ${named(notice)}`;

const subjectOf = (notices: Row[], organisation: string) =>
  notices.length === 1 && notices[0] ? inWords(notices[0]) : `${notices.length} notifications in ${organisation}`;

const more = (notices: Row[]) => (notices.length > listedMax ? [`And ${notices.length - listedMax} more.`] : []);

function inText(notices: Row[], base: string): string {
  const told = notices.slice(0, listedMax).map((notice) => {
    const said = notice.text && notice.title !== null ? `${notice.text.replaceAll(/^/gm, "> ")}\n` : "";
    return `${oneLine(inWords(notice))}\n${said}${linkOf(notice, base)}`;
  });
  return [...told, ...more(notices)].join("\n\n");
}

function inSlack(notices: Row[], base: string): string {
  const told = notices.slice(0, listedMax).map((notice) => {
    const said = notice.text && notice.title !== null ? `\n>${escapeForSlack(oneLine(notice.text))}` : "";
    const link = `<${linkOf(notice, base)}|${escapeForSlack(oneLine(named(notice)))}>`;
    return `${escapeForSlack(notice.actor)} ${verbs[notice.kind]} ${link}${said}`;
  });
  return [...told, ...more(notices)].join("\n");
}
