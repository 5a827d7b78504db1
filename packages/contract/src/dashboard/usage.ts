import Type from "typebox";
import { installLimitMax, noteLengthMax } from "../limits.ts";
import { plans } from "../plans.ts";
import { Month, NullableTimestamp, Uuid, VisibleText } from "../text.ts";
import { AppSummary } from "./inbox.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: active installs against the limit, the plan, and the suspension of ingestion (contract section 5). */

const closed = { additionalProperties: false } as const;
const Day = (description: string) => Type.String({ format: "date", description });
const installs = Type.Integer({ description: "Active installs." });

/** What an organisation uses and may use. */
export const Usage = Type.Object(
  {
    plan: Type.Enum([...plans], { description: "The plan." }),
    planLimit: Type.Integer({ description: "Active installs that the plan allows in a month." }),
    ownLimit: Type.Union([Type.Integer(), Type.Null()], {
      description: "A limit of its own that holds instead; null for none.",
    }),
    limit: Type.Integer({ description: "The limit that holds." }),
    months: Type.Array(
      Type.Object({
        month: Month("The calendar month (UTC), as YYYY-MM."),
        installs,
        limit: Type.Union([Type.Integer(), Type.Null()], {
          description: "The limit in force when it ended; null where nothing was counted.",
        }),
        counts: Type.Enum(["within", "over", "forgiven", "struck_out"], {
          description:
            "How it counts: within its limit; over it; over it, but forgiven by an upgrade; over it, but struck out by an owner.",
        }),
      }),
      { description: "Twelve, the oldest first; the last is the month that runs." },
    ),
    overBefore: Type.Integer({
      minimum: 0,
      maximum: 2,
      description:
        "How many months right before this one ended over: after two, ingestion is suspended as soon as this one is over.",
    }),
    suspension: Type.Union(
      [
        Type.Object({
          since: Day("Since when all reports are refused."),
          endsOn: Day("When it ends, where no month before that day ends over as well."),
        }),
        Type.Null(),
      ],
      { description: "The suspension of ingestion; null where there is none." },
    ),
    unusualDays: Type.Array(
      Type.Object({
        day: Day("The day (UTC)."),
        installs: Type.Integer({ description: "Installs that were seen for the first time in the month." }),
        usual: Type.Integer({ description: "The most of the same day of the month before, or of one next to it." }),
        keys: Type.Array(
          Type.Object({
            id: Uuid("The SDK key."),
            name: Type.String({ description: "Its name." }),
            revokedAt: NullableTimestamp("When it was revoked, or will be; null for neither."),
            app: AppSummary,
            installs: Type.Integer({ description: "How many of them it brought." }),
          }),
          { description: "The SDK keys that brought the most of them, at most five; none of deleted apps." },
        ),
      }),
      {
        description:
          "Days of this month or the one before with more than three times as many new installs as is usual: ten, and a tenth of the limit, at least.",
      },
    ),
  },
  { description: "Active installs against the limit." },
);
export type Usage = Type.Static<typeof Usage>;

/** A plan or a limit to change; what is left out stays. */
export const ChangePlan = Type.Object(
  {
    plan: Type.Optional(Type.Enum([...plans], { description: "The plan. A larger one ends a suspension at once." })),
    monthlyInstallLimit: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: installLimitMax }), Type.Null()], {
        description:
          "A limit of its own; null for the plan's. Where it is left out, a larger plan with a higher limit clears it.",
      }),
    ),
  },
  { ...closed, description: "What to change of the plan." },
);
export type ChangePlan = Type.Static<typeof ChangePlan>;

/** A month that is not to count. */
export const StrikeOut = Type.Object(
  {
    month: Month("The month, as YYYY-MM."),
    note: VisibleText({ maxLength: noteLengthMax, description: "Why: it stands in the audit log." }),
  },
  { ...closed, description: "A month to strike out." },
);
export type StrikeOut = Type.Static<typeof StrikeOut>;

export const getUsage = dashboard({
  id: "getUsage",
  method: "GET",
  path: "/api/dashboard/usage",
  role: "member",
  answers: { 200: Usage },
  errors: [],
  summary: "Show active installs against the limit",
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
  summary: "Change the plan or the limit",
});

export const strikeOutMonth = dashboard({
  id: "strikeOutMonth",
  method: "POST",
  path: "/api/dashboard/usage/strike-outs",
  role: "owner",
  body: StrikeOut,
  answers: { 200: Usage },
  errors: ["month_not_over"],
  summary: "Let a month that went over its limit not count",
  description:
    "For a month in which somebody invented installs. A suspension that rests on it ends at once; what is new in it is counted on, and no longer suspends.",
});
