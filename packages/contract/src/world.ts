import Type from "typebox";
import { SetIdentityProvider } from "./dashboard/providers.ts";
import { addressLengthMax, columnsMax, creditsMax, installLimitMax, runsPerDayMax } from "./limits.ts";
import { plans } from "./plans.ts";
import { memberRoles, permissions } from "./roles.ts";
import { Spike } from "./spike.ts";
import { Email, EnvironmentName, Name, NewPassword, RepositoryOrFileUrl, Scope, Slug, Text } from "./text.ts";

/** The kinds of subscribers (contract section 4). */
export const subscriberKinds = ["webhook", "slack", "discord", "teams", "email", "github", "board"] as const;

const closed = { additionalProperties: false } as const;
const list = <T extends Type.TSchema>(item: T) => Type.Optional(Type.Array(item, { maxItems: 10_000 }));

/** `doneColumn` is the column for done tickets. If omitted, the done column stays as it is. */
const Board = Type.Object(
  {
    name: Name,
    columns: Type.Array(Name, { minItems: 1, maxItems: columnsMax }),
    doneColumn: Type.Optional(Name),
  },
  closed,
);

const Project = Type.Object(
  {
    name: Name,
    slug: Slug,
    repositories: list(
      Type.Object(
        {
          name: Name,
          url: RepositoryOrFileUrl,
          credentialsEnv: Type.Optional(EnvironmentName),
        },
        closed,
      ),
    ),
    boards: list(Board),
  },
  closed,
);

/** A board names its project, board and column; every other kind has a url. */
const Subscriber = Type.Object(
  {
    kind: Type.Enum([...subscriberKinds]),
    url: Type.Optional(
      Text({
        minLength: 1,
        maxLength: addressLengthMax,
        description: "The target: http or https, mailto: for e-mail, or a repository for GitHub issues.",
      }),
    ),
    project: Type.Optional(Slug),
    board: Type.Optional(Name),
    column: Type.Optional(Name),
  },
  closed,
);

/** The file of `lodged apply` (contract section 6). */
export const World = Type.Object(
  {
    organisation: Type.Object(
      {
        name: Name,
        slug: Slug,
        plan: Type.Optional(Type.Enum([...plans])),
        credits: Type.Optional(Type.Integer({ minimum: 0, maximum: creditsMax })),
        monthlyInstallLimit: Type.Optional(
          Type.Unsafe<number | null>({ type: ["integer", "null"], minimum: 0, maximum: installLimitMax }),
        ),
      },
      closed,
    ),
    members: list(
      Type.Object(
        {
          email: Email,
          name: Name,
          role: Type.Enum([...memberRoles]),
          password: Type.Optional(NewPassword),
        },
        closed,
      ),
    ),
    identityProvider: Type.Optional(
      Type.Unsafe<SetIdentityProvider | null>({
        ...SetIdentityProvider,
        type: ["object", "null"],
        description: "The identity provider. Null for passwords only. If omitted, it stays as it is.",
      }),
    ),
    projects: list(Project),
    apps: list(
      Type.Object(
        {
          name: Name,
          slug: Slug,
          replies: Type.Optional(Type.Boolean()),
          enabled: Type.Optional(Type.Boolean()),
          origins: list(
            Text({ minLength: 1, maxLength: 255, description: "A web origin. An empty list allows all origins." }),
          ),
          settings: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
          tellsFixes: Type.Optional(Type.Boolean()),
          spike: Type.Optional(Spike),
          sourceLines: Type.Optional(Type.Boolean()),
          keys: list(Name),
          subscribers: list(Subscriber),
        },
        closed,
      ),
    ),
    runners: list(Type.Object({ name: Name }, closed)),
    tokens: list(
      Type.Object(
        {
          name: Name,
          scope: Scope,
          permissions: Type.Array(Type.Enum([...permissions])),
          runsPerDay: Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: runsPerDayMax }), Type.Null()])),
        },
        closed,
      ),
    ),
  },
  { ...closed, description: "An organisation with everything that belongs to it, identified by slugs and names." },
);
export type World = Type.Static<typeof World>;

/** The output of `lodged apply`: every object of the file with its id, lists in the file's order. */
export type AppliedWorld = {
  organisation: { id: string; slug: string; agentUserId: string };
  members: { id: string; email: string }[];
  projects: {
    id: string;
    slug: string;
    repositories: { id: string; name: string }[];
    boards: { id: string; name: string; columns: { id: string; name: string }[] }[];
  }[];
  /** `secret` only in the run that created the token. */
  tokens: { id: string; name: string; secret: string | null }[];
  /** `secret` only in the run that created the runner. */
  runners: { id: string; name: string; secret: string | null }[];
  apps: {
    id: string;
    slug: string;
    /** The last part of the app's DSN. */
    number: number;
    keys: { id: string; name: string; key: string }[];
    /** `secret` only for a webhook, and only in the run that created it. */
    subscribers: { id: string; kind: string; secret: string | null }[];
  }[];
};
