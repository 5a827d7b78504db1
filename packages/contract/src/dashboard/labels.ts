import Type from "typebox";
import { labelColors } from "../label-colors.ts";
import { filterLengthMax, labelLengthMax } from "../limits.ts";
import { noContent } from "../operation.ts";
import { NameText, Text } from "../text.ts";
import { LabelName } from "../tickets.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for labels. Everybody sees them; owners and admins change them. */

const closed = { additionalProperties: false } as const;
const Existing = NameText({ maxLength: labelLengthMax, description: "The name of an existing label." });
const Color = Type.Enum([...labelColors], { description: "The color." });

/** A label with its color. */
export const Label = Type.Object(
  { name: Type.String({ description: "The name." }), color: Color },
  { description: "A label. Without a chosen color, the color depends on the name." },
);
export type Label = Type.Static<typeof Label>;

/** A part of a label's name. */
export const LabelQuery = Type.Object(
  {
    text: Type.Optional(Text({ maxLength: filterLengthMax, description: "Part of the name, ignoring case." })),
  },
  closed,
);
export type LabelQuery = Type.Static<typeof LabelQuery>;

/** The labels to choose from. */
export const LabelList = Type.Object(
  { labels: Type.Array(Label, { description: "Sorted by name, at most 1,000." }) },
  { description: "The labels of the organisation." },
);
export type LabelList = Type.Static<typeof LabelList>;

/** A label's new name, its new color, or both. */
export const ChangeLabel = Type.Object(
  { name: Existing, newName: Type.Optional(LabelName), color: Type.Optional(Color) },
  { ...closed, minProperties: 2, description: "The label, and its new name or color." },
);
export type ChangeLabel = Type.Static<typeof ChangeLabel>;

/** A label that becomes another one. */
export const MergeLabel = Type.Object(
  { name: Existing, into: NameText({ maxLength: labelLengthMax, description: "The label that remains." }) },
  { ...closed, description: "The label to merge, and the label that replaces it." },
);
export type MergeLabel = Type.Static<typeof MergeLabel>;

/** A label to delete. */
export const DeleteLabel = Type.Object(
  { name: Existing },
  { ...closed, description: "The label to remove from all tickets." },
);
export type DeleteLabel = Type.Static<typeof DeleteLabel>;

export const listLabels = dashboard({
  id: "listLabels",
  method: "GET",
  path: "/api/dashboard/labels",
  role: "member",
  query: LabelQuery,
  answers: { 200: LabelList },
  errors: [],
  summary: "List the labels that tickets have used",
  staleAfter: ["labels.changed"],
});

export const changeLabel = dashboard({
  id: "changeLabel",
  method: "PATCH",
  path: "/api/dashboard/labels",
  role: "admin",
  body: ChangeLabel,
  answers: { 200: Label },
  errors: ["label_not_found", "label_name_taken"],
  summary: "Update a label",
  description:
    "All responses show the new name immediately. Lodge then updates the tickets in the background; until it has finished, the old name cannot be reused.",
});

export const mergeLabel = dashboard({
  id: "mergeLabel",
  method: "POST",
  path: "/api/dashboard/labels/merge",
  role: "admin",
  body: MergeLabel,
  answers: noContent,
  errors: ["label_not_found"],
  summary: "Merge a label into another one",
  description: "Replaces the label with the other one on all tickets, in the background as with `changeLabel`.",
});

export const deleteLabel = dashboard({
  id: "deleteLabel",
  method: "POST",
  path: "/api/dashboard/labels/delete",
  role: "admin",
  body: DeleteLabel,
  answers: noContent,
  errors: ["label_not_found"],
  summary: "Delete a label",
  description: "Removes the label from all tickets, in the background as with `changeLabel`.",
});
