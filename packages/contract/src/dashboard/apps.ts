import Type from "typebox";
import { appOriginsMax, keyOverlapDaysMax } from "../limits.ts";
import { noContent, pathId, pathIds } from "../operation.ts";
import { SourceMapList } from "../sourcemaps.ts";
import { Spike } from "../spike.ts";
import { Name, NullableTimestamp, Text, Timestamp, Uuid, WholeNumber } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for apps, their SDK keys and their refused reports. */

const closed = { additionalProperties: false } as const;

const settings = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

const NullableSpike = Type.Union([Spike, Type.Null()], {
  description:
    "The team is notified when a problem of the app occurs more than `events` times within `minutes`, once per spike. Null for never.",
});

/** An SDK key. It is publishable, so it can be shown at any time. */
export const SdkKey = Type.Object(
  {
    id: Uuid("The key."),
    name: Type.String({ description: "The name." }),
    key: Type.String({ description: "The key that SDKs send." }),
    dsn: Type.String({ description: "The DSN for Sentry SDKs. It contains the key, the host and the app's number." }),
    createdAt: Timestamp("When it was created."),
    endsAt: NullableTimestamp("When the key stops working because another one replaced it. Null otherwise."),
    recentReportCount: Type.Integer({
      description: "The number of reports sent with this key among the app's latest 1,000.",
    }),
  },
  { description: "An active SDK key." },
);
export type SdkKey = Type.Static<typeof SdkKey>;

const summary = {
  id: Uuid("The app."),
  name: Type.String({ description: "The name." }),
  slug: Type.String({ description: "The slug, used in files and commands. Never changes." }),
  enabled: Type.Boolean({ description: "Whether `GET /api/config` tells SDKs to send reports." }),
  replies: Type.Boolean({ description: "Whether the team can reply to reporters." }),
  tellsFixes: Type.Boolean({
    description: "Whether reporters get a reply when a release contains the agent's fix. Requires replies to be on.",
  }),
  lastReceivedAt: NullableTimestamp("When the latest report was accepted. Null if there is none."),
};

/** The apps of an organisation. */
export const AppList = Type.Object(
  {
    apps: Type.Array(
      Type.Object({
        ...summary,
        keyCount: Type.Integer({ description: "The number of active SDK keys." }),
        refusedCount: Type.Integer({ description: "The number of reports refused in the last 7 days." }),
      }),
      { description: "Sorted by name." },
    ),
    suspendedSince: Type.Union([Type.String({ format: "date" }), Type.Null()], {
      description:
        "The day since which all reports have been refused because of the install limit. Null if ingestion is not suspended.",
    }),
  },
  { description: "The apps of the organisation." },
);
export type AppList = Type.Static<typeof AppList>;

const sourceLines = Type.Boolean({
  description:
    "Whether Lodge stores the app's own source text with source maps uploaded from now on, and shows it around frames. False deletes the stored source text within two hours.",
});

/** An app with all its settings. */
export const App = Type.Object(
  {
    ...summary,
    number: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: "The last part of the app's DSN, unique in the installation. Never changes.",
    }),
    origins: Type.Array(Type.String(), {
      description: "The web origins whose pages may read responses. An empty list allows all origins.",
    }),
    settings: settings("The app's own settings, which `GET /api/config` returns to its SDKs."),
    spike: NullableSpike,
    sourceLines,
    createdAt: Timestamp("When it was created."),
    ingestUrl: Type.String({ description: "The URL that SDKs send reports to." }),
    keys: Type.Array(SdkKey, { description: "The active SDK keys, oldest first." }),
  },
  { description: "An app." },
);
export type App = Type.Static<typeof App>;

/** An app to create. */
export const CreateApp = Type.Object({ name: Name }, { ...closed, description: "The app to create." });
export type CreateApp = Type.Static<typeof CreateApp>;

/** The changes to an app. Omitted fields stay as they are. */
export const ChangeApp = Type.Object(
  {
    name: Type.Optional(Name),
    enabled: Type.Optional(Type.Boolean({ description: "False tells SDKs not to send reports." })),
    replies: Type.Optional(Type.Boolean({ description: "Whether the team can reply to reporters." })),
    tellsFixes: Type.Optional(
      Type.Boolean({
        description:
          "Whether reporters get a reply when a release contains the agent's fix. Requires replies to be on.",
      }),
    ),
    origins: Type.Optional(
      Type.Array(Text({ minLength: 1, maxLength: 255, description: "A web origin: scheme, host and port." }), {
        maxItems: appOriginsMax,
        description: "The web origins whose pages may read responses. An empty list allows all origins.",
      }),
    ),
    settings: Type.Optional(settings("The app's own settings: a JSON object of at most 16 KiB.")),
    spike: Type.Optional(NullableSpike),
    sourceLines: Type.Optional(sourceLines),
  },
  { ...closed, description: "The fields to change. Omitted fields stay as they are." },
);
export type ChangeApp = Type.Static<typeof ChangeApp>;

const counted = (what: string) => Type.Integer({ description: `${what}, counted up to 10,000.` });

/** The number of items of each kind that are deleted with the app, or kept. */
export const AppDeletion = Type.Object(
  {
    reportCount: counted("The number of reports to delete, with their attachments and threads"),
    problemCount: counted("The number of problems to delete"),
    subscriberCount: counted("The number of subscribers to delete, with their deliveries"),
    sourceMapCount: counted("The number of source maps to delete"),
    cardCount: counted("The number of tickets to keep, which were filed for its reports"),
  },
  { description: "The number of items of each kind that are deleted with the app, or kept." },
);
export type AppDeletion = Type.Static<typeof AppDeletion>;

/** An SDK key to create. */
export const CreateKey = Type.Object({ name: Name }, { ...closed, description: "The SDK key to create." });
export type CreateKey = Type.Static<typeof CreateKey>;

/** The replacement of a key, with the time that the old key stays valid. */
export const RotateKey = Type.Object(
  {
    overlapDays: Type.Integer({
      minimum: 0,
      maximum: keyOverlapDaysMax,
      description: "The number of days that the old key keeps working. 0 revokes it immediately.",
    }),
  },
  { ...closed, description: "How to replace the key." },
);
export type RotateKey = Type.Static<typeof RotateKey>;

/** The number of days to count refusals for. */
export const RefusalQuery = Type.Object(
  { days: Type.Optional(WholeNumber("The number of days (UTC) including today, 1 to 90. Defaults to 30.")) },
  closed,
);
export type RefusalQuery = Type.Static<typeof RefusalQuery>;

/** The refused reports of an app, without their content. */
export const RefusalList = Type.Object(
  {
    refusals: Type.Array(
      Type.Object({
        day: Type.String({ format: "date", description: "The day (UTC)." }),
        code: Type.String({ description: "The error code." }),
        key: Type.Object(
          {
            id: Uuid("The key."),
            name: Type.Union([Type.String(), Type.Null()], { description: "The name. Null if the key was deleted." }),
          },
          { description: "The SDK key of the reports." },
        ),
        count: Type.Integer({ description: "The number of refused reports." }),
        lastAt: Timestamp("When the last one was refused."),
      }),
      { description: "Sorted by day, latest first, then by count. At most 1,000." },
    ),
    discarded: Type.Array(
      Type.Object({
        category: Type.String({ description: "The kind of item: `error`, `transaction`, `session` and so on." }),
        reason: Type.String({ description: "The reason that the SDK gave." }),
        count: Type.Integer({ description: "The number of discarded items." }),
      }),
      { description: "Items that Sentry SDKs say they discarded before sending, on the same days. Sorted by count." },
    ),
    unstored: Type.Array(
      Type.Object({
        type: Type.String({ description: "The type of the items. `other` for unknown types." }),
        count: Type.Integer({ description: "The number of items." }),
        lastAt: Timestamp("When the last one was received."),
      }),
      {
        description:
          "Items that Sentry SDKs sent on the same days and that were accepted but not stored. Sorted by count.",
      },
    ),
    acceptedCount: Type.Integer({
      description: "The number of reports accepted on the same days, counted up to 10,000.",
    }),
  },
  {
    description:
      "Refused reports by day, code and key, and items that Sentry SDKs discarded, or that they sent but Lodge did not store. Reports without a known key are not counted.",
  },
);
export type RefusalList = Type.Static<typeof RefusalList>;

const appPath = pathId("appId", "app_not_found", "The app.");
const keyPath = pathIds({ appId: "The app.", keyId: "The SDK key." }, "key_not_found");

export const listApps = dashboard({
  id: "listApps",
  method: "GET",
  path: "/api/dashboard/apps",
  role: "member",
  answers: { 200: AppList },
  errors: [],
  summary: "List the apps",
  staleAfter: ["apps.changed", "inbox.changed", "allowance.changed"],
});

export const createApp = dashboard({
  id: "createApp",
  method: "POST",
  path: "/api/dashboard/apps",
  role: "admin",
  body: CreateApp,
  answers: { 201: App },
  errors: ["too_many"],
  summary: "Create an app with its first SDK key",
});

export const getApp = dashboard({
  id: "getApp",
  method: "GET",
  path: "/api/dashboard/apps/{appId}",
  role: "member",
  params: appPath,
  answers: { 200: App },
  errors: ["app_not_found"],
  summary: "Get an app with its SDK keys",
  staleAfter: ["apps.changed", "inbox.changed"],
});

export const listAppSourceMaps = dashboard({
  id: "listAppSourceMaps",
  method: "GET",
  path: "/api/dashboard/apps/{appId}/source-maps",
  role: "member",
  params: appPath,
  answers: { 200: SourceMapList },
  errors: ["app_not_found"],
  summary: "List source maps of an app",
});

export const changeApp = dashboard({
  id: "changeApp",
  method: "PATCH",
  path: "/api/dashboard/apps/{appId}",
  role: "admin",
  params: appPath,
  body: ChangeApp,
  answers: { 200: App },
  errors: ["app_not_found"],
  summary: "Update an app",
});

export const previewAppDeletion = dashboard({
  id: "previewAppDeletion",
  method: "GET",
  path: "/api/dashboard/apps/{appId}/deletion",
  role: "admin",
  params: appPath,
  answers: { 200: AppDeletion },
  errors: ["app_not_found"],
  summary: "Count what deleting an app would delete",
});

export const deleteApp = dashboard({
  id: "deleteApp",
  method: "DELETE",
  path: "/api/dashboard/apps/{appId}",
  role: "admin",
  params: appPath,
  answers: { 200: AppDeletion },
  errors: ["app_not_found"],
  summary: "Delete an app with its reports",
  description:
    "The app disappears, its SDK keys stop working and its deliveries stop immediately. Its reports, attachments, threads, problems and source maps are deleted later, in batches. Tickets and the count of installs are kept.",
});

export const createKey = dashboard({
  id: "createKey",
  method: "POST",
  path: "/api/dashboard/apps/{appId}/keys",
  role: "admin",
  params: appPath,
  body: CreateKey,
  answers: { 201: SdkKey },
  errors: ["app_not_found", "key_name_taken", "too_many"],
  summary: "Create an SDK key",
});

export const rotateKey = dashboard({
  id: "rotateKey",
  method: "POST",
  path: "/api/dashboard/apps/{appId}/keys/{keyId}/rotate",
  role: "admin",
  params: keyPath,
  body: RotateKey,
  answers: { 201: SdkKey },
  errors: ["key_not_found", "too_many"],
  summary: "Replace an SDK key",
});

export const revokeKey = dashboard({
  id: "revokeKey",
  method: "DELETE",
  path: "/api/dashboard/apps/{appId}/keys/{keyId}",
  role: "admin",
  params: keyPath,
  answers: noContent,
  errors: ["key_not_found"],
  summary: "Revoke an SDK key",
});

export const listRefusals = dashboard({
  id: "listRefusals",
  method: "GET",
  path: "/api/dashboard/apps/{appId}/refusals",
  role: "member",
  params: appPath,
  query: RefusalQuery,
  answers: { 200: RefusalList },
  errors: ["app_not_found"],
  summary: "Count the refused reports of an app by day, code and key",
});
