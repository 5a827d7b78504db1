import Type from "typebox";
import { noContent, pathId } from "../operation.ts";
import { Reach } from "../projects.ts";
import { EnvironmentName, Name, NullableText, RepositoryUrl, Timestamp, Uuid } from "../text.ts";
import { auditKinds } from "./audit.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API for the organisation, the repositories of its projects and its audit log. */

const closed = { additionalProperties: false } as const;

/** An organisation. */
export const Organisation = Type.Object(
  {
    id: Uuid("The organisation."),
    name: Type.String({ description: "The name." }),
    slug: Type.String({ description: "The slug, used in files and commands. Never changes." }),
    createdAt: Timestamp("When it was created."),
  },
  { description: "The session's organisation." },
);
export type Organisation = Type.Static<typeof Organisation>;

/** The changes to an organisation. */
export const ChangeOrganisation = Type.Object(
  { name: Name },
  { ...closed, description: "The fields to change. Omitted fields stay as they are." },
);
export type ChangeOrganisation = Type.Static<typeof ChangeOrganisation>;

/** A Git repository to bind to a project. */
export const BindRepository = Type.Object(
  {
    name: Name,
    url: RepositoryUrl,
    credentialsEnv: Type.Optional(EnvironmentName),
  },
  { ...closed, description: "The repository to add." },
);
export type BindRepository = Type.Static<typeof BindRepository>;

/** A Git repository that is bound to a project. */
export const Repository = Type.Object(
  {
    id: Uuid("The repository."),
    name: Type.String({ description: "The name." }),
    url: Type.String({ description: "The URL that Git clones from." }),
  },
  { description: "A Git repository of a project. The agent can work on it for the project's tickets." },
);
export type Repository = Type.Static<typeof Repository>;

/** The subscribers that file reports onto a board or the boards of a project. */
export const FilingSubscriberList = Type.Object(
  {
    subscribers: Type.Array(
      Type.Object({
        id: Uuid("The subscriber."),
        app: Type.String({ description: "The app of the reports." }),
        board: Type.String({ description: "The board to file tickets on." }),
        enabled: Type.Boolean({ description: "Whether the subscriber is enabled." }),
      }),
      { description: "Sorted by board, then by app." },
    ),
  },
  { description: "The subscribers that file reports onto a board or the boards of a project." },
);
export type FilingSubscriberList = Type.Static<typeof FilingSubscriberList>;

/** The query for a page of the audit log. */
export const AuditQuery = Type.Object(
  { cursor: Type.Optional(Uuid("The `nextCursor` of the previous page.")) },
  closed,
);
export type AuditQuery = Type.Static<typeof AuditQuery>;

/** A page of the organisation's audit log. */
export const AuditLog = Type.Object(
  {
    entries: Type.Array(
      Type.Object({
        id: Uuid("The entry."),
        kind: Type.Union([Type.Enum([...auditKinds]), Type.String()], {
          description: "The kind of change. Later versions may add kinds.",
        }),
        at: Timestamp("When it happened."),
        who: NullableText("The name of the member who did it. Null if no member did."),
        details: Type.Record(Type.String(), Type.Unknown(), { description: "The details, depending on the kind." }),
      }),
      { description: "Latest first, at most 50." },
    ),
    nextCursor: Type.Union([Uuid("The start of the next page."), Type.Null()], {
      description: "The `cursor` for the next page. Null on the last page.",
    }),
  },
  { description: "A page of the organisation's audit log." },
);
export type AuditLog = Type.Static<typeof AuditLog>;

const projectPath = pathId("projectId", "project_not_found", "The project.");
const boardPath = pathId("boardId", "board_not_found", "The board.");
const repositoryPath = pathId("repositoryId", "repository_not_found", "The repository.");

export const getOrganisation = dashboard({
  id: "getOrganisation",
  method: "GET",
  path: "/api/dashboard/organisation",
  role: "member",
  answers: { 200: Organisation },
  errors: [],
  summary: "Get the organisation",
  staleAfter: ["organisation.changed"],
});

export const changeOrganisation = dashboard({
  id: "changeOrganisation",
  method: "PATCH",
  path: "/api/dashboard/organisation",
  role: "admin",
  body: ChangeOrganisation,
  answers: { 200: Organisation },
  errors: [],
  summary: "Update the organisation",
});

export const listTicketIds = dashboard({
  id: "listTicketIds",
  method: "GET",
  path: "/api/dashboard/organisation/ids",
  role: "member",
  answers: { 200: Reach },
  errors: [],
  summary: "List the ids to use in tickets",
  description: "Returns the same as `GET /api/v1/projects` for a token with access to all projects.",
  staleAfter: ["projects.changed", "board.changed", "members.changed"],
});

export const bindRepository = dashboard({
  id: "bindRepository",
  method: "POST",
  path: "/api/dashboard/projects/{projectId}/repositories",
  role: "admin",
  params: projectPath,
  body: BindRepository,
  answers: { 201: Repository },
  errors: ["project_not_found", "repository_name_taken", "too_many"],
  summary: "Add a Git repository to a project",
});

export const unbindRepository = dashboard({
  id: "unbindRepository",
  method: "DELETE",
  path: "/api/dashboard/repositories/{repositoryId}",
  role: "admin",
  params: repositoryPath,
  answers: noContent,
  errors: ["repository_not_found", "repository_in_use"],
  summary: "Remove a Git repository from its project",
  description: "Tickets that use the repository are left without one.",
});

export const listBoardSubscribers = dashboard({
  id: "listBoardSubscribers",
  method: "GET",
  path: "/api/dashboard/boards/{boardId}/subscribers",
  role: "member",
  params: boardPath,
  answers: { 200: FilingSubscriberList },
  errors: ["board_not_found"],
  summary: "List the subscribers that file reports onto a board",
});

export const listProjectSubscribers = dashboard({
  id: "listProjectSubscribers",
  method: "GET",
  path: "/api/dashboard/projects/{projectId}/subscribers",
  role: "member",
  params: projectPath,
  answers: { 200: FilingSubscriberList },
  errors: ["project_not_found"],
  summary: "List the subscribers that file reports onto the boards of a project",
});

export const listAudit = dashboard({
  id: "listAudit",
  method: "GET",
  path: "/api/dashboard/audit",
  role: "admin",
  query: AuditQuery,
  answers: { 200: AuditLog },
  errors: [],
  summary: "List the entries of the audit log",
});
