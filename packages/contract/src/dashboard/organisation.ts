import Type from "typebox";
import { addressLengthMax } from "../limits.ts";
import { noContent, pathId } from "../operation.ts";
import { Reach } from "../projects.ts";
import { EnvironmentName, Name, NullableText, Text, Timestamp, Uuid } from "../text.ts";
import { auditKinds } from "./audit.ts";
import { dashboard } from "./operation.ts";

/** The dashboard's API: the organisation itself, the repositories of its projects, the ids of the ticket API, its audit log. */

const closed = { additionalProperties: false } as const;

/** An organisation. */
export const Organisation = Type.Object(
  {
    id: Uuid("The organisation."),
    name: Type.String({ description: "What people call it." }),
    slug: Type.String({ description: "Its short name in files and commands, which stays." }),
    createdAt: Timestamp("When it was made."),
  },
  { description: "The organisation that the session works on." },
);
export type Organisation = Type.Static<typeof Organisation>;

/** What to change of an organisation. */
export const ChangeOrganisation = Type.Object(
  { name: Name },
  { ...closed, description: "What to change of the organisation." },
);
export type ChangeOrganisation = Type.Static<typeof ChangeOrganisation>;

/** A Git repository to bind to a project. */
export const BindRepository = Type.Object(
  {
    name: Name,
    url: Text({
      minLength: 1,
      maxLength: addressLengthMax,
      description: "Where Git clones it from: https, http, ssh, or user@host:path; without a password.",
    }),
    credentialsEnv: Type.Optional(EnvironmentName),
  },
  { ...closed, description: "A repository to bind to a project." },
);
export type BindRepository = Type.Static<typeof BindRepository>;

/** A Git repository that is bound to a project. */
export const Repository = Type.Object(
  {
    id: Uuid("The repository."),
    name: Type.String({ description: "What people call it." }),
    url: Type.String({ description: "Where Git clones it from." }),
  },
  { description: "A Git repository that is bound to a project: the agent may work on it for the project's tickets." },
);
export type Repository = Type.Static<typeof Repository>;

/** Who files onto a board. */
export const FilingSubscriberList = Type.Object(
  {
    subscribers: Type.Array(
      Type.Object({
        id: Uuid("The subscriber."),
        app: Type.String({ description: "The app whose reports it files." }),
        board: Type.String({ description: "The board that it files onto." }),
        enabled: Type.Boolean({ description: "Whether it files at the moment." }),
      }),
      { description: "By board, then by app." },
    ),
  },
  { description: "The subscribers that file reports onto a board, or the boards of a project." },
);
export type FilingSubscriberList = Type.Static<typeof FilingSubscriberList>;

/** Which entries of the audit log. */
export const AuditQuery = Type.Object({ cursor: Type.Optional(Uuid("The `nextCursor` of the page before.")) }, closed);
export type AuditQuery = Type.Static<typeof AuditQuery>;

/** What was changed in an organisation. */
export const AuditLog = Type.Object(
  {
    entries: Type.Array(
      Type.Object({
        id: Uuid("The entry."),
        kind: Type.Union([Type.Enum([...auditKinds]), Type.String()], {
          description: "What was done; later versions may add kinds.",
        }),
        at: Timestamp("When it took effect."),
        who: NullableText("The name of who did it; null where no member did."),
        details: Type.Record(Type.String(), Type.Unknown(), { description: "What about, by kind." }),
      }),
      { description: "The latest first: at most 50." },
    ),
    nextCursor: Type.Union([Uuid("Where the next page begins."), Type.Null()], {
      description: "For the next page; null where there is none.",
    }),
  },
  { description: "The audit log of the organisation." },
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
  summary: "Show the organisation",
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
  summary: "Rename the organisation",
});

export const listTicketIds = dashboard({
  id: "listTicketIds",
  method: "GET",
  path: "/api/dashboard/organisation/ids",
  role: "member",
  answers: { 200: Reach },
  errors: [],
  summary: "List the ids that a ticket can name",
  description: "What `GET /api/v1/projects` answers a token that reaches all projects.",
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
  summary: "Bind a Git repository to a project",
});

export const unbindRepository = dashboard({
  id: "unbindRepository",
  method: "DELETE",
  path: "/api/dashboard/repositories/{repositoryId}",
  role: "admin",
  params: repositoryPath,
  answers: noContent,
  errors: ["repository_not_found", "repository_in_use"],
  summary: "Take a Git repository from its project",
  description: "Tickets that name it name none from then on.",
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
  summary: "Read the audit log",
});
