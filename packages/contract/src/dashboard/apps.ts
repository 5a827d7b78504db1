import Type from "typebox";
import { appOriginsMax, keyOverlapDaysMax } from "../limits.ts";
import { noContent, pathId, pathIds } from "../operation.ts";
import { Name, NullableTimestamp, Text, Timestamp, Uuid, WholeNumber } from "../text.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: the apps that send reports, their SDK keys, and what became of what was refused. */

const closed = { additionalProperties: false } as const;

const settings = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

/** An SDK key. It is publishable, so it can be seen at any time. */
export const SdkKey = Type.Object(
  {
    id: Uuid("The key."),
    name: Type.String({ description: "What people call it." }),
    key: Type.String({ description: "The key itself: what an SDK sends." }),
    createdAt: Timestamp("When it was made."),
    endsAt: NullableTimestamp("From when on it is refused, where another key has taken its place; else null."),
    recentReportCount: Type.Integer({
      description: "How many of the latest 1,000 reports of the app were sent with it.",
    }),
  },
  { description: "An SDK key that is accepted." },
);
export type SdkKey = Type.Static<typeof SdkKey>;

const summary = {
  id: Uuid("The app."),
  name: Type.String({ description: "What people call it." }),
  slug: Type.String({ description: "Its short name in files and commands, which stays." }),
  enabled: Type.Boolean({ description: "What `GET /api/config` tells its SDKs: whether they are to send at all." }),
  replies: Type.Boolean({ description: "Whether reporters can be answered." }),
  tellsFixes: Type.Boolean({
    description:
      "Whether those who wrote are told of the release that has the agent's fix, where they can be answered.",
  }),
  lastReceivedAt: NullableTimestamp("When its latest report was accepted; null before the first."),
};

/** The apps of an organisation. */
export const AppList = Type.Object(
  {
    apps: Type.Array(
      Type.Object({
        ...summary,
        keyCount: Type.Integer({ description: "How many SDK keys are accepted." }),
        refusedCount: Type.Integer({ description: "How many of its reports were refused in the last 7 days." }),
      }),
      { description: "By name." },
    ),
    suspendedSince: Type.Union([Type.String({ format: "date" }), Type.Null()], {
      description: "Since which day all reports are refused for exceeding the install limit; null while they are not.",
    }),
  },
  { description: "The apps of the organisation." },
);
export type AppList = Type.Static<typeof AppList>;

/** An app with all that can be set. */
export const App = Type.Object(
  {
    ...summary,
    origins: Type.Array(Type.String(), {
      description: "The web origins whose pages may read an answer; none listed: any.",
    }),
    settings: settings("Free-form settings of its own, which `GET /api/config` hands to its SDKs."),
    createdAt: Timestamp("When it was made."),
    ingestUrl: Type.String({ description: "The address that its SDKs send to." }),
    keys: Type.Array(SdkKey, { description: "The SDK keys that are accepted, the oldest first." }),
  },
  { description: "An app." },
);
export type App = Type.Static<typeof App>;

/** An app to make. */
export const CreateApp = Type.Object({ name: Name }, { ...closed, description: "An app to make." });
export type CreateApp = Type.Static<typeof CreateApp>;

/** What to change of an app; what is left out stays. */
export const ChangeApp = Type.Object(
  {
    name: Type.Optional(Name),
    enabled: Type.Optional(Type.Boolean({ description: "False tells its SDKs to be quiet." })),
    replies: Type.Optional(Type.Boolean({ description: "Whether reporters can be answered." })),
    tellsFixes: Type.Optional(
      Type.Boolean({
        description:
          "Whether those who wrote are told of the release that has the agent's fix, where they can be answered.",
      }),
    ),
    origins: Type.Optional(
      Type.Array(Text({ minLength: 1, maxLength: 255, description: "Scheme, host and port." }), {
        maxItems: appOriginsMax,
        description: "The web origins whose pages may read an answer; none listed: any.",
      }),
    ),
    settings: Type.Optional(settings("Free-form settings of its own: an object of at most 16 KiB of JSON.")),
  },
  { ...closed, description: "What to change of an app." },
);
export type ChangeApp = Type.Static<typeof ChangeApp>;

const counted = (what: string) => Type.Integer({ description: `${what}: at most 10,000.` });

/** What an app has, before it is deleted. */
export const AppDeletion = Type.Object(
  {
    reportCount: counted("How many reports go, with their attachments and conversations"),
    problemCount: counted("How many problems go"),
    subscriberCount: counted("How many subscribers go, with their deliveries"),
    sourceMapCount: counted("How many source maps go"),
    cardCount: counted("How many cards were filed for its reports, and stay"),
  },
  { description: "What goes with an app, and what stays of it." },
);
export type AppDeletion = Type.Static<typeof AppDeletion>;

/** An SDK key to make. */
export const CreateKey = Type.Object({ name: Name }, { ...closed, description: "An SDK key to make." });
export type CreateKey = Type.Static<typeof CreateKey>;

/** How long a key is accepted beside the one that takes its place. */
export const RotateKey = Type.Object(
  {
    overlapDays: Type.Integer({
      minimum: 0,
      maximum: keyOverlapDaysMax,
      description: "How many days the old key is still accepted; 0: it is refused at once.",
    }),
  },
  { ...closed, description: "How to replace a key." },
);
export type RotateKey = Type.Static<typeof RotateKey>;

/** How far back refusals are counted. */
export const RefusalQuery = Type.Object(
  { days: Type.Optional(WholeNumber("How many days (UTC) back, today among them: 1 to 90; 30 where none is named.")) },
  closed,
);
export type RefusalQuery = Type.Static<typeof RefusalQuery>;

/** What was refused of an app's reports, without anything of their content. */
export const RefusalList = Type.Object(
  {
    refusals: Type.Array(
      Type.Object({
        day: Type.String({ format: "date", description: "The day (UTC)." }),
        code: Type.String({ description: "The error code that was answered." }),
        key: Type.Object(
          {
            id: Uuid("The key."),
            name: Type.Union([Type.String(), Type.Null()], { description: "Null where it is gone." }),
          },
          { description: "The SDK key that they were sent with." },
        ),
        count: Type.Integer({ description: "How many." }),
        lastAt: Timestamp("When the last of them was refused."),
      }),
      { description: "The latest day first, then by count: at most 1,000." },
    ),
    acceptedCount: Type.Integer({ description: "How many reports were accepted on the same days: at most 10,000." }),
  },
  { description: "What was refused, by day, code and key. Reports without a known key are nobody's, and not counted." },
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
  summary: "Make an app, with its first SDK key",
});

export const getApp = dashboard({
  id: "getApp",
  method: "GET",
  path: "/api/dashboard/apps/{appId}",
  role: "member",
  params: appPath,
  answers: { 200: App },
  errors: ["app_not_found"],
  summary: "Show an app with its SDK keys",
  staleAfter: ["apps.changed", "inbox.changed"],
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
  summary: "Rename an app, or change what its SDKs are told",
});

export const previewAppDeletion = dashboard({
  id: "previewAppDeletion",
  method: "GET",
  path: "/api/dashboard/apps/{appId}/deletion",
  role: "admin",
  params: appPath,
  answers: { 200: AppDeletion },
  errors: ["app_not_found"],
  summary: "Count what would go with an app",
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
    "At once nobody sees it, its SDK keys are refused, and its subscribers are told nothing more; reports, attachments, conversations, problems and source maps are deleted afterwards, in steps. Cards stay, and so does the count of installs.",
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
  summary: "Make an SDK key",
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
  summary: "Make another SDK key of the same name, and end the old one",
});

export const revokeKey = dashboard({
  id: "revokeKey",
  method: "DELETE",
  path: "/api/dashboard/apps/{appId}/keys/{keyId}",
  role: "admin",
  params: keyPath,
  answers: noContent,
  errors: ["key_not_found"],
  summary: "Refuse an SDK key from now on",
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
