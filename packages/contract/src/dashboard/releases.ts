import Type from "typebox";
import { pathId } from "../operation.ts";
import { Timestamp } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for the versions of an app. Open to every role. */

/** The versions of an app. */
export const ReleaseList = Type.Object(
  {
    releases: Type.Array(
      Type.Object({
        version: Type.String({ description: "The app's version, or else its release." }),
        eventCount: Type.Integer({ description: "The number of events." }),
        userCount: Type.Integer({
          description:
            "The number of users with events: an estimate within 3% in most cases, nearly exact for few users.",
        }),
        newProblemCount: Type.Integer({ description: "The number of problems that first occurred in this version." }),
        backProblemCount: Type.Integer({ description: "The number of problems that last reopened in this version." }),
        firstSeenAt: Timestamp("When the version was first seen."),
        lastSeenAt: Timestamp("When it was last seen."),
      }),
      { description: "Latest first, at most 100." },
    ),
  },
  { description: "The versions of an app, from its events." },
);
export type ReleaseList = Type.Static<typeof ReleaseList>;

export const listReleases = dashboard({
  id: "listReleases",
  method: "GET",
  path: "/api/dashboard/apps/{appId}/releases",
  role: "member",
  params: pathId("appId", "app_not_found", "The app."),
  answers: { 200: ReleaseList },
  errors: ["app_not_found"],
  summary: "List the versions of an app",
  staleAfter: ["inbox.changed", "problem.changed"],
});
