import Type from "typebox";
import { apiToken, operation } from "./operation.ts";
import { Uuid } from "./text.ts";

const named = (what: string) => ({ id: Uuid(what), name: Type.String({ description: "What people call it." }) });

/** Answer of `GET /api/v1/projects` (contract section 8). Later versions may add fields. */
export const Reach = Type.Object(
  {
    projects: Type.Array(
      Type.Object({
        ...named("The project."),
        slug: Type.String({ description: "Its short name, unique in the organisation." }),
        boards: Type.Array(
          Type.Object({
            ...named("The board."),
            columns: Type.Array(Type.Object(named("The column.")), { description: "From left to right." }),
          }),
          { description: "In their order: the first is where a ticket goes that names none." },
        ),
        repositories: Type.Array(Type.Object(named("The repository.")), { description: "Those bound to the project." }),
      }),
      { description: "The projects that the token reaches, in their order." },
    ),
    members: Type.Array(
      Type.Object({
        ...named("The user."),
        kind: Type.Enum(["person", "agent"], { description: "A person, or the organisation's AI agent." }),
      }),
      { description: "Who a ticket can be assigned to." },
    ),
  },
  { description: "What a token reaches: the ids that a ticket can name, with their names." },
);
export type Reach = Type.Static<typeof Reach>;

/** `GET /api/v1/projects` (contract section 8): what the token reaches, and nothing else. */
export const listReach = operation({
  id: "listReach",
  method: "GET",
  path: "/api/v1/projects",
  door: "api",
  credential: apiToken("projects:read"),
  answers: { 200: Reach },
  errors: [],
  summary: "List what the token reaches",
  description: "Projects with their boards, columns and repositories, and who tickets can be assigned to.",
});
