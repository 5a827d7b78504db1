import { repliesRatePerMinute } from "@lodge/contract/replies";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { countedColumns, refusalOfRate } from "../../platform/limits/limit-rate.ts";
import { countHitsSql } from "../../platform/limits/rate-limit.ts";
import { checkReplyToken } from "./reply-token.ts";

const findThread = preparedStatement({
  name: "find_thread_and_count",
  parameters: { threadId: "uuid", now: "timestamptz", counts: "boolean" },
  row: { app_id: "uuid", allowed_origins: "text[]?", ...countedColumns },
  text: ({ threadId, now, counts }) => `with thread as materialized (
    select threads.app_id, apps.allowed_origins, threads.id from threads join apps on apps.id = threads.app_id and apps.deleted_at is null
    where threads.id = ${threadId}
  ), hit as (${countHitsSql(`select 'thread:' || id, ${now}, 1, ${repliesRatePerMinute} from thread where ${counts}`)})
  select thread.app_id, thread.allowed_origins, hit.granted > 0 as granted, hit.oldest_at_ms from thread left join hit on true`,
});

const findDevice = preparedStatement({
  name: "find_device_and_count",
  parameters: { deviceId: "uuid", now: "timestamptz", counts: "boolean" },
  row: { ...countedColumns, allowed_origins: "text[]?" },
  text: ({
    deviceId,
    now,
    counts,
  }) => `with hit as (${countHitsSql(`select 'device:' || ${deviceId}, ${now}, 1, ${repliesRatePerMinute} where ${counts}`)})
  select hit.granted > 0 as granted, hit.oldest_at_ms, (
    select allowed_origins from threads join apps on apps.id = threads.app_id and apps.deleted_at is null
    where threads.device_id = ${deviceId} and message_count > 0 limit 1) as allowed_origins
  from (values (true)) asked left join hit on true`,
});

/** The origins whose pages may read the response, and the refusal if the rate limit is used up. */
type Access = { allowedOrigins: string[] | null; refusal: Refusal | undefined };

/**
 * Finds the thread that a request's token opens, and counts the request against the thread's rate limit, which all
 * processes share. Throws `invalid_reply_token` for any token but the thread's own, or `thread_not_found` if the thread
 * is gone.
 */
export async function authenticateThread(
  deps: Deps,
  authorization: string | undefined,
  threadId: string,
): Promise<Access & { appId: string }> {
  checkReplyToken(deps, authorization, "thread", threadId);
  const now = deps.clock.now();
  const [row] = await findThread(deps.pool, { threadId, now, counts: !deps.rates });
  if (!row) throw new Refusal("thread_not_found");
  const refusal = await refusalOfRate(deps, `thread:${threadId.toLowerCase()}`, repliesRatePerMinute, row, now);
  return { appId: row.app_id, allowedOrigins: row.allowed_origins, refusal };
}

/** As `authenticateThread`, for a device, which may have no threads. */
export async function authenticateDevice(
  deps: Deps,
  authorization: string | undefined,
  deviceId: string,
): Promise<Access> {
  checkReplyToken(deps, authorization, "device", deviceId);
  const now = deps.clock.now();
  const [row] = await findDevice(deps.pool, { deviceId, now, counts: !deps.rates });
  const refusal = await refusalOfRate(deps, `device:${deviceId.toLowerCase()}`, repliesRatePerMinute, row, now);
  return { allowedOrigins: row?.allowed_origins ?? null, refusal };
}
