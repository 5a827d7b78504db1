import Type from "typebox";
import { pathId } from "../operation.ts";
import { NullableTimestamp } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The states of a regrouping; `none` if there is no regrouping. */
export const regroupingStates = ["none", "planning", "planned", "applying", "applied", "undoing"] as const;

const Examples = (description: string) =>
  Type.Array(
    Type.Object({
      title: Type.String({ description: "The title of the problem." }),
      titles: Type.Array(Type.String(), { description: "The titles of the others, at most 3." }),
    }),
    { description },
  );

/** The changes of a regrouping. */
export const RegroupingPreview = Type.Object(
  {
    mergedCount: Type.Integer({ description: "The number of problems that are merged into another one." }),
    splitCount: Type.Integer({ description: "The number of problems that are split." }),
    newCount: Type.Integer({ description: "The number of new problems created by the splits." }),
    merges: Examples("At most 5 problems that others are merged into, with titles of some of the others."),
    splits: Examples("At most 5 problems that are split, with titles and locations of some of the parts."),
  },
  { description: "The planned changes of a regrouping." },
);
export type RegroupingPreview = Type.Static<typeof RegroupingPreview>;

/** The regrouping of an app. */
export const Regrouping = Type.Object(
  {
    state: Type.Enum([...regroupingStates], { description: "The state. `none` if there is no regrouping." }),
    oldProblemCount: Type.Integer({
      description:
        "The number of problems that are still grouped by an older version of the grouping rules, counted up to 10,000.",
    }),
    doneCount: Type.Integer({ description: "The number of steps done, of `totalCount`." }),
    totalCount: Type.Integer({ description: "The number of steps of the current state." }),
    preview: Type.Union([RegroupingPreview, Type.Null()], { description: "Null until it is planned." }),
    appliedAt: NullableTimestamp("When the regrouping was applied. Null if it was not."),
  },
  { description: "The regrouping of an app's problems by the current grouping rules." },
);
export type Regrouping = Type.Static<typeof Regrouping>;

const ofApp = {
  role: "admin",
  params: pathId("appId", "app_not_found", "The app."),
  answers: { 200: Regrouping },
} as const;

export const getRegrouping = dashboard({
  id: "getRegrouping",
  method: "GET",
  path: "/api/dashboard/apps/{appId}/regrouping",
  ...ofApp,
  errors: ["app_not_found"],
  summary: "Get the regrouping of an app's problems",
});

export const previewRegrouping = dashboard({
  id: "previewRegrouping",
  method: "POST",
  path: "/api/dashboard/apps/{appId}/regrouping",
  ...ofApp,
  errors: ["app_not_found", "regrouping_not_ready"],
  summary: "Preview the regrouping of an app's problems",
  description:
    "Finds the problems that were grouped by an older version of the rules, and computes in the background how the current rules would group their reports. " +
    "Changes no problems. An earlier regrouping can then no longer be undone.",
});

export const applyRegrouping = dashboard({
  id: "applyRegrouping",
  method: "POST",
  path: "/api/dashboard/apps/{appId}/regrouping/apply",
  ...ofApp,
  errors: ["app_not_found", "regrouping_not_ready"],
  summary: "Regroup an app's problems",
  description:
    "Merges and splits problems in the background, as previewed. A merged problem keeps the state, assignee and title of the problem that " +
    "occurred last, and gets the tickets of all merged problems.",
});

export const undoRegrouping = dashboard({
  id: "undoRegrouping",
  method: "POST",
  path: "/api/dashboard/apps/{appId}/regrouping/undo",
  ...ofApp,
  errors: ["app_not_found", "regrouping_not_ready"],
  summary: "Undo the regrouping of an app's problems",
  description:
    "In the background, restores the merged problems with their state and tickets, and moves back the reports that were split off. " +
    "Reports received since then stay where they are.",
});
