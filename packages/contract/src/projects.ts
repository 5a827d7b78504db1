import Type from "typebox";
import { apiToken, operation } from "./operation.ts";
import { Uuid } from "./text.ts";

const named = (what: string) => ({ id: Uuid(what), name: Type.String({ description: "The name." }) });

/** The response of `GET /api/v1/projects` (contract section 8). Later versions may add fields. */
export const Reach = Type.Object(
  {
    projects: Type.Array(
      Type.Object({
        ...named("The project."),
        slug: Type.String({ description: "The slug, unique in the organisation." }),
        boards: Type.Array(
          Type.Object({
            ...named("The board."),
            columns: Type.Array(Type.Object(named("The column.")), { description: "The columns, from left to right." }),
          }),
          { description: "The boards, sorted by position. Tickets filed without a boardId go to the first one." },
        ),
        repositories: Type.Array(Type.Object(named("The repository.")), {
          description: "The project's repositories.",
        }),
      }),
      { description: "The projects that the token has access to, sorted by position." },
    ),
    members: Type.Array(
      Type.Object({
        ...named("The user."),
        kind: Type.Enum(["person", "agent"], { description: "A person, or the organisation's AI agent." }),
      }),
      { description: "The members to whom tickets can be assigned, including the AI agent." },
    ),
  },
  { description: "The projects that the token has access to, with the ids and names to use in tickets." },
);
export type Reach = Type.Static<typeof Reach>;

/** `GET /api/v1/projects` (contract section 8): only what the token has access to. */
export const listReach = operation({
  id: "listReach",
  method: "GET",
  path: "/api/v1/projects",
  door: "api",
  credential: apiToken("projects:read"),
  answers: { 200: Reach },
  errors: [],
  summary: "List the projects that the token has access to",
  description:
    "Returns each project with its boards, columns and repositories, and the members to whom tickets can be assigned.",
});
