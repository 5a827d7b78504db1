import Type from "typebox";
import { NullableTimestamp, NullableUuid, Text, Timestamp } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: erasing what one user, e-mail address or install has sent, for owners and admins. */

const By = Type.Enum(["user", "email", "install"], {
  description: "What it is: the `user.id`, the `user.email` or the `installId` of reports.",
});

/** Whose reports to erase. */
export const EraseReports = Type.Object(
  {
    by: By,
    value: Text({ minLength: 1, maxLength: 1_000, description: "Its value; of an e-mail address in any letter case." }),
    dryRun: Type.Optional(Type.Boolean({ description: "Whether only to count what there is. Default false." })),
  },
  { additionalProperties: false, description: "Whose reports to erase." },
);
export type EraseReports = Type.Static<typeof EraseReports>;

/** The receipt of an erasure. */
export const Erasure = Type.Object(
  {
    id: NullableUuid("The erasure; null of one that only counts."),
    by: By,
    sha256: Type.String({ description: "What is kept of the value: a SHA-256 of organisation, kind and value." }),
    dryRun: Type.Boolean(),
    startedAt: Timestamp("When it was asked for first."),
    finishedAt: NullableTimestamp("When it was done; null where there is more: send the same again."),
    events: Type.Integer({ description: "Reports." }),
    attachments: Type.Integer({ description: "Their attachments that were still kept." }),
    attachmentBytes: Type.Integer({ description: "The size of those." }),
    threads: Type.Integer({ description: "Conversations on them." }),
    messages: Type.Integer({ description: "Messages in those." }),
    cards: Type.Integer({ description: "Cards whose title and description were made from one of them." }),
    deliveredElsewhere: Type.Integer({
      description: "Deliveries of them that had reached webhooks, chats or mailboxes, where they still are.",
    }),
  },
  { description: "What was erased." },
);
export type Erasure = Type.Static<typeof Erasure>;

export const eraseReports = dashboard({
  id: "eraseReports",
  method: "POST",
  path: "/api/dashboard/erasures",
  role: "admin",
  body: EraseReports,
  answers: { 200: Erasure },
  errors: [],
  summary: "Erase what one user, e-mail address or install has sent",
  description:
    "Reports with their attachments, conversations and deliveries, and what cards say of them. What de-duplicates a report " +
    "stays, as a hash. What people have written themselves, into comments for one, is not looked at.",
});
