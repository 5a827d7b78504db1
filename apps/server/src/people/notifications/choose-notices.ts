import type { ChangeNoticeChoices, NoticeChoices } from "@lodge/contract/dashboard/notices";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput } from "../../platform/errors.ts";
import { sendsMail } from "../../platform/outbound/queue-mail.ts";
import type { Actor } from "../access/find-actor.ts";
import { adminKinds } from "./keep-telling.ts";
import { waitMs } from "./send-notices.ts";
import { sealSlackUrl, showSlackUrl } from "./slack-url.ts";

/**
 * A member's choices of notifications that the organisation sends them. By default, admins are sent the organisation's
 * alerts, and everybody else nothing.
 */
export async function readNoticeChoices(
  { db, config, sealing }: Deps,
  { organisationId, userId, role }: Actor,
): Promise<NoticeChoices> {
  const chosen = await db
    .selectFrom("notice_choices")
    .select(["mail", "slack", "slack_url"])
    .where("organisation_id", "=", organisationId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return {
    mail: (chosen?.mail ?? (role === "member" ? [] : adminKinds)) as NoticeChoices["mail"],
    slack: (chosen?.slack ?? []) as NoticeChoices["slack"],
    slackUrl: chosen?.slack_url ? showSlackUrl(sealing, { organisationId, userId }, chosen.slack_url) : null,
    sendsMail: sendsMail(config),
  };
}

/** Changes the given choices, for notifications from now on. Throws `invalid_input`. */
export async function chooseNotices(deps: Deps, actor: Actor, input: ChangeNoticeChoices): Promise<NoticeChoices> {
  const before = await readNoticeChoices(deps, actor);
  const { mail, slack, slackUrl } = { ...before, ...input };
  if (slackUrl === null && slack.length > 0) {
    throw invalidInput([{ path: "/slackUrl", message: "is required to send something to Slack" }]);
  }
  const now = deps.clock.now();
  const chosen = {
    mail: [...new Set(mail)],
    slack: [...new Set(slack)],
    slack_url: slackUrl && sealSlackUrl(deps.sealing, actor, slackUrl),
  };
  await deps.db
    .insertInto("notice_choices")
    .values({ organisation_id: actor.organisationId, user_id: actor.userId, ...chosen, sent_until: now })
    .onConflict((conflict) =>
      conflict.columns(["organisation_id", "user_id"]).doUpdateSet({
        ...chosen,
        // Notifications that wait to be sent follow the new choice; older ones were not wanted.
        sent_until: sql`greatest(notice_choices.sent_until, ${new Date(now.getTime() - waitMs)}::timestamptz)`,
      }),
    )
    .execute();
  return readNoticeChoices(deps, actor);
}
