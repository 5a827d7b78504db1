import { audiences, isMedia, type Media, type Operation } from "@lodge/contract/operation";
import { operations } from "@lodge/contract/operations";
import type { TSchema } from "typebox";
import type { Deps } from "../../platform/deps.ts";
import { codeSamplesOf } from "./code-samples.ts";
import { ErrorResponses } from "./error-responses.ts";
import { shareParameters } from "./share-parameters.ts";
import { SharedSchemas } from "./shared-schemas.ts";

type Json = Record<string, unknown>;

const tagOf: Record<string, string | undefined> = {
  tickets: "Tickets",
  projects: "Tickets",
  tokens: "Tickets",
  events: "Reports",
  envelope: "Reports",
  sentry: "Reports",
  replies: "Replies",
  runners: "Runners",
};
const tags = [
  { name: "Tickets", description: "The ticket API, for automated systems." },
  { name: "Reports", description: "The ingestion endpoint, for SDKs inside applications." },
  { name: "Replies", description: "Conversations between reporters and the team, for SDKs." },
  { name: "Runners", description: "The API for runners, which work on the agent's runs." },
  { name: "Dashboard", description: "The API of the dashboard. It may change with each version." },
];
const securitySchemes = {
  apiToken: { type: "http", scheme: "bearer", description: "An API token. Never ship it in an application." },
  sdkKey: { type: "http", scheme: "bearer", description: "An SDK key. It is public: applications ship it." },
  sentryKey: {
    type: "apiKey",
    in: "header",
    name: "X-Sentry-Auth",
    description: "An SDK key as `Sentry sentry_key=…`. `?sentry_key=…` and the DSN in an envelope's header also work.",
  },
  threadToken: { type: "http", scheme: "bearer", description: "The token of a thread, from a receipt." },
  deviceToken: { type: "http", scheme: "bearer", description: "The token of a device, from a receipt." },
  runnerToken: { type: "http", scheme: "bearer", description: "The token of a runner." },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "lodge.session_token",
    description: "The session cookie of the dashboard, set by `signIn`. Over HTTPS its name begins with `__Secure-`.",
  },
};

const anywhere = "http://127.0.0.1:4080";

/**
 * Every operation of the contract as an OpenAPI 3.1 document, with each exported schema once under its name. `urls` are
 * the addresses of the described server, by default those of a new server.
 */
export function openApiDocument(urls: Deps["urls"] = { base: anywhere, ingest: anywhere }): Json {
  const components = new SharedSchemas();
  const errorResponses = new ErrorResponses(components);
  const paths: Record<string, Json> = {};
  for (const { operation, module } of operations) {
    const path = paths[operation.path] ?? {};
    if (operation.door === "ingest" && urls.ingest !== urls.base) path.servers = [{ url: urls.ingest }];
    const method = operation.method.toLowerCase();
    if (path[method]) throw new Error(`${operation.method} ${operation.path} is described twice`);
    path[method] = describe(operation, tagOf[module] ?? "Dashboard", components, errorResponses);
    paths[operation.path] = path;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Lodge",
      description: "File tickets onto boards, and receive reports with attachments.",
      version: "1",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: urls.base }],
    tags,
    paths,
    security: [{ session: [] }],
    components: {
      parameters: shareParameters(paths),
      responses: errorResponses.shared,
      schemas: components.schemas,
      securitySchemes,
    },
  };
}

function describe(operation: Operation, tag: string, components: SharedSchemas, errorResponses: ErrorResponses): Json {
  const { id, role, credential, params, query, headers, body, answers, summary, description } = operation;
  const audience = role && audiences[role];
  const permission =
    credential?.kind === "apiToken" && credential.permission && `The token needs \`${credential.permission}\`.`;
  const scheme = credential?.kind ?? (role === "everybody" ? "link" : "session");
  const parameters = [
    ...parametersOf("path", params, components),
    ...parametersOf("query", query, components),
    ...parametersOf("header", headers, components),
  ];
  const codeSamples = codeSamplesOf(id);
  return {
    operationId: id,
    summary,
    description: [description, permission, audience].filter(Boolean).join(" ") || `${summary}.`,
    tags: [tag],
    ...(scheme !== "session" && { security: scheme === "link" ? [] : [{ [scheme]: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: contentOf(body, components) } }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, answerOf(answer, components)])),
      ...errorResponses.of(operation),
    },
    ...(codeSamples.length > 0 && { "x-codeSamples": codeSamples }),
  };
}

function parametersOf(
  place: "path" | "query" | "header",
  schema: TSchema | undefined,
  components: SharedSchemas,
): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = components.written(property as TSchema) as Json;
    return {
      name,
      in: place,
      ...(required.includes(name) && { required: true }),
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

const contentOf = (content: TSchema | Media, components: SharedSchemas): Json =>
  isMedia(content)
    ? { [content.media]: content.schema ? { schema: components.written(content.schema) } : {} }
    : { "application/json": { schema: components.written(content) } };

function answerOf(answer: TSchema | Media, components: SharedSchemas): Json {
  const { description = "The response." } = answer as { description?: string };
  return { description, ...(isEmpty(answer) ? {} : { content: contentOf(answer, components) }) };
}

/** Nothing is sent if there is nothing to say. */
const isEmpty = (answer: TSchema | Media) => (answer as { type?: string }).type === "void";
