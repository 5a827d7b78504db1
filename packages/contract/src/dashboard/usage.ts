import Type from "typebox";
import { installLimitMax, noteLengthMax } from "../limits.ts";
import { plans } from "../plans.ts";
import { Month, NullableTimestamp, Uuid, VisibleText } from "../text.ts";
import { AppSummary } from "./inbox.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for usage, plan and the suspension of ingestion (contract section 5). */

const closed = { additionalProperties: false } as const;
const Day = (description: string) => Type.String({ format: "date", description });
const installs = Type.Integer({ description: "The number of active installs." });

/** The usage and limits of an organisation. */
export const Usage = Type.Object(
  {
    plan: Type.Enum([...plans], { description: "The plan." }),
    planLimit: Type.Integer({ description: "The number of active installs per month that the plan allows." }),
    ownLimit: Type.Union([Type.Integer(), Type.Null()], {
      description: "The organisation's own limit, which replaces the plan's. Null if there is none.",
    }),
    limit: Type.Integer({ description: "The current limit." }),
    months: Type.Array(
      Type.Object({
        month: Month("The calendar month (UTC), as YYYY-MM."),
        installs,
        limit: Type.Union([Type.Integer(), Type.Null()], {
          description: "The limit at the end of the month. Null if nothing was counted.",
        }),
        counts: Type.Enum(["within", "over", "forgiven", "struck_out"], {
          description:
            "How the month counts: within the limit, over it, over it but forgiven by an upgrade, or over it but excluded by an owner.",
        }),
      }),
      { description: "The last twelve months, oldest first, including the current month." },
    ),
    overBefore: Type.Integer({
      minimum: 0,
      maximum: 2,
      description:
        "The number of consecutive previous months over the limit. After two, ingestion is suspended as soon as the current month is over it.",
    }),
    suspension: Type.Union(
      [
        Type.Object({
          since: Day("The day since which all reports have been refused."),
          endsOn: Day(
            "The day on which the suspension ends. If the month before this day ends over the limit, the suspension lasts a month longer.",
          ),
        }),
        Type.Null(),
      ],
      { description: "The suspension of ingestion. Null if there is none." },
    ),
    unusualDays: Type.Array(
      Type.Object({
        day: Day("The day (UTC)."),
        installs: Type.Integer({
          description: "The number of installs whose first activity of the month was on this day.",
        }),
        usual: Type.Integer({
          description:
            "The usual number: the highest of three days of the previous month: the same day, the day before it and the day after it.",
        }),
        keys: Type.Array(
          Type.Object({
            id: Uuid("The SDK key."),
            name: Type.String({ description: "The name." }),
            revokedAt: NullableTimestamp("When the key was or will be revoked. Null if it is active."),
            app: AppSummary,
            installs: Type.Integer({ description: "The number of these installs that used the key." }),
          }),
          {
            description:
              "The SDK keys, at most five, that were used by the largest numbers of these installs. Keys of deleted apps are left out.",
          },
        ),
      }),
      {
        description:
          "Unusual days of this and the previous month. A day is unusual if its new installs are more than three times the usual number, at least ten, and at least a tenth of the limit.",
      },
    ),
  },
  { description: "The active installs, the limit and the plan." },
);
export type Usage = Type.Static<typeof Usage>;

/** The changes to plan and limit. Omitted fields stay as they are. */
export const ChangePlan = Type.Object(
  {
    plan: Type.Optional(Type.Enum([...plans], { description: "The plan. An upgrade ends a suspension immediately." })),
    monthlyInstallLimit: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: installLimitMax }), Type.Null()], {
        description:
          "The organisation's own limit. Null for the plan's limit. If omitted, an upgrade to a plan with a higher limit clears it.",
      }),
    ),
  },
  { ...closed, description: "The changes to the plan." },
);
export type ChangePlan = Type.Static<typeof ChangePlan>;

/** A month to exclude. */
export const StrikeOut = Type.Object(
  {
    month: Month("The month, as YYYY-MM."),
    note: VisibleText({ maxLength: noteLengthMax, description: "The reason. Shown in the audit log." }),
  },
  { ...closed, description: "The month to exclude." },
);
export type StrikeOut = Type.Static<typeof StrikeOut>;

export const getUsage = dashboard({
  id: "getUsage",
  method: "GET",
  path: "/api/dashboard/usage",
  role: "member",
  answers: { 200: Usage },
  errors: [],
  summary: "Get usage and plan",
  staleAfter: ["allowance.changed"],
});

export const changePlan = dashboard({
  id: "changePlan",
  method: "PATCH",
  path: "/api/dashboard/usage",
  role: "owner",
  body: ChangePlan,
  answers: { 200: Usage },
  errors: [],
  summary: "Update the plan or the limit",
});

export const strikeOutMonth = dashboard({
  id: "strikeOutMonth",
  method: "POST",
  path: "/api/dashboard/usage/strike-outs",
  role: "owner",
  body: StrikeOut,
  answers: { 200: Usage },
  errors: ["month_not_over"],
  summary: "Exclude a month",
  description:
    "Stops counting a month as over the limit, for example because its installs were fake. A suspension caused by this month ends immediately. New installs in that month still count but no longer cause a suspension.",
});
