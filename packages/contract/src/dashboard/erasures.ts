import Type from "typebox";
import { NullableTimestamp, NullableUuid, Text, Timestamp } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for erasing all reports of a user, e-mail address or install. For owners and admins. */

const By = Type.Enum(["user", "email", "install"], {
  description: "The kind of value: the `user.id`, the `user.email` or the `installId` of reports.",
});

/** The person or install to erase. */
export const EraseReports = Type.Object(
  {
    by: By,
    value: Text({ minLength: 1, maxLength: 1_000, description: "The value. Case is ignored for e-mail addresses." }),
    dryRun: Type.Optional(Type.Boolean({ description: "Only counts, without erasing. Defaults to false." })),
  },
  { additionalProperties: false, description: "The person or install to erase." },
);
export type EraseReports = Type.Static<typeof EraseReports>;

/** The receipt of an erasure. */
export const Erasure = Type.Object(
  {
    id: NullableUuid("The erasure. Null for a dry run."),
    by: By,
    sha256: Type.String({
      description: "The SHA-256 of the organisation, the kind and the value. The value itself is not kept.",
    }),
    dryRun: Type.Boolean(),
    startedAt: Timestamp("When the erasure was first requested."),
    finishedAt: NullableTimestamp(
      "When the erasure finished. Null if there is more to erase: send the same request again.",
    ),
    events: Type.Integer({ description: "The number of reports." }),
    attachments: Type.Integer({ description: "The number of attachments." }),
    attachmentBytes: Type.Integer({ description: "The total size of the attachments." }),
    threads: Type.Integer({ description: "The number of threads." }),
    messages: Type.Integer({ description: "The number of messages in the threads." }),
    cards: Type.Integer({ description: "The number of tickets whose title and description came from these reports." }),
    deliveredElsewhere: Type.Integer({
      description: "The number of deliveries that reached webhooks, chats or mailboxes. Lodge cannot erase those.",
    }),
  },
  { description: "The receipt of an erasure." },
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
  summary: "Erase all reports of a user, e-mail address or install",
  description:
    "Erases reports with their attachments, threads and deliveries, and the texts that tickets copied from them. The hash that de-duplicates a report " +
    "stays. Texts that people have written themselves, such as comments, are not searched.",
});
