import { errorBodies } from "@lodge/contract/error-body";
import type { ErrorCode } from "@lodge/contract/errors";
import { audiences, errorsOf, isMedia, type Media, type Operation } from "@lodge/contract/operation";
import { modules, operations } from "@lodge/contract/operations";
import * as text from "@lodge/contract/text";
import type { TSchema } from "typebox";
import type { Deps } from "../platform/deps.ts";
import { statusOf } from "../platform/errors.ts";
import { codeSamplesOf } from "./code-samples.ts";

type Json = Record<string, unknown>;

const tagOf: Record<string, string | undefined> = {
  tickets: "Tickets",
  projects: "Tickets",
  tokens: "Tickets",
  events: "Reports",
  envelope: "Reports",
  replies: "Replies",
  runners: "Runners",
};
const tags = [
  { name: "Tickets", description: "The ticket API: what automated systems file tickets with." },
  { name: "Reports", description: "What an SDK inside an application sends reports with." },
  { name: "Replies", description: "What a reporter and the team say to each other, as the SDK sees it." },
  { name: "Runners", description: "What a runner takes the agent's runs with." },
  { name: "Dashboard", description: "What the dashboard of this very version uses. It may change with each version." },
];
const securitySchemes = {
  apiToken: { type: "http", scheme: "bearer", description: "An API token; never ship it in an application." },
  sdkKey: { type: "http", scheme: "bearer", description: "An SDK key; publishable." },
  threadToken: { type: "http", scheme: "bearer", description: "The token of a thread, of a receipt." },
  deviceToken: { type: "http", scheme: "bearer", description: "The token of a device, of a receipt." },
  runnerToken: { type: "http", scheme: "bearer", description: "The token of a runner." },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "lodge.session_token",
    description: "The session of the dashboard, set by signIn. Named __Secure-… over https.",
  },
};

const anywhere = "http://127.0.0.1:4080";

/**
 * Every operation of the contract as an OpenAPI 3.1 document: its schemas by the names of their exports, each once. `urls`
 * are the addresses of the server that it describes, by default that of one that was just started.
 */
export function openApiDocument(urls: Deps["urls"] = { base: anywhere, ingest: anywhere }): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  for (const { operation, module } of operations) {
    const path = paths[operation.path] ?? {};
    if (operation.door === "ingest" && urls.ingest !== urls.base) path.servers = [{ url: urls.ingest }];
    const method = operation.method.toLowerCase();
    if (path[method]) throw new Error(`${operation.method} ${operation.path} is described twice`);
    path[method] = describe(operation, tagOf[module] ?? "Dashboard", components);
    paths[operation.path] = path;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Lodge",
      description: "Files tickets onto boards, and takes in reports with attachments.",
      version: "1",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: urls.base }],
    tags,
    paths,
    components: { schemas: components.schemas, securitySchemes },
  };
}

function describe(operation: Operation, tag: string, components: Components): Json {
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
    security: scheme === "link" ? [] : [{ [scheme]: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: contentOf(body, components) } }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, answerOf(answer, components)])),
      ...refusalsOf(operation, components),
    },
    ...(codeSamples.length > 0 && { "x-codeSamples": codeSamples }),
  };
}

function parametersOf(place: "path" | "query" | "header", schema: TSchema | undefined, components: Components): Json[] {
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

const contentOf = (content: TSchema | Media, components: Components): Json =>
  isMedia(content)
    ? { [content.media]: content.schema ? { schema: components.written(content.schema) } : {} }
    : { "application/json": { schema: components.written(content) } };

function answerOf(answer: TSchema | Media, components: Components): Json {
  const { description = "The answer." } = answer as { description?: string };
  return { description, ...(isEmpty(answer) ? {} : { content: contentOf(answer, components) }) };
}

/** Nothing is sent where there is nothing to say. */
const isEmpty = (answer: TSchema | Media) => (answer as { type?: string }).type === "void";

/** One answer for each status, of the bodies of the codes that have it. */
function refusalsOf(operation: Operation, components: Components): Json {
  const codesOf = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(operation)) codesOf.set(statusOf[code], [...(codesOf.get(statusOf[code]) ?? []), code]);
  const entries = [...codesOf].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    entries.map(([status, codes]) => {
      const bodies = codes.map((code) => components.reference(nameOfError(code), errorBodies[code]));
      const mapping = Object.fromEntries(codes.map((code, index) => [code, bodies[index]?.$ref]));
      const several = { oneOf: bodies, discriminator: { propertyName: "error", mapping } };
      return [
        status,
        {
          description: codes.map((code) => `\`${code}\``).join(", "),
          content: { "application/json": { schema: codes.length === 1 ? bodies[0] : several } },
        },
      ];
    }),
  );
}

const nameOfError = (code: ErrorCode) =>
  `${code.replace(/_error$/, "").replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Error`;

/** The schemas that the contract exports, each written once by its name, and referred to everywhere else. */
class Components {
  readonly schemas: Record<string, unknown> = {};
  readonly #nameOf = new Map<string, string>();

  constructor() {
    for (const exports of [text, ...Object.values(modules)]) {
      for (const [name, value] of Object.entries(exports)) if (isSchema(value)) this.#remember(name, value);
    }
  }

  #remember(name: string, schema: TSchema) {
    const written = JSON.stringify(schema);
    const known = this.#nameOf.get(written);
    if (known !== undefined && known !== name)
      throw new Error(`${known} and ${name} are one schema: export one of them`);
    if ([...this.#nameOf].some(([other, taken]) => taken === name && other !== written)) {
      throw new Error(`Two different schemas are exported as ${name}`);
    }
    this.#nameOf.set(written, name);
  }

  /** A reference to a schema under a name. */
  reference(name: string, schema: TSchema): { $ref: string } {
    if (!(name in this.schemas)) {
      this.schemas[name] = undefined; // should it refer to itself
      this.schemas[name] = this.#inside(schema);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** A schema as the document has it: a reference where it has a name. */
  written(schema: TSchema): unknown {
    const name = this.#nameOf.get(JSON.stringify(schema));
    return name === undefined ? this.#inside(schema) : this.reference(name, schema);
  }

  #inside(schema: TSchema): unknown {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => {
        if (keyword === "properties") {
          const properties = Object.entries(value as Record<string, TSchema>);
          return [keyword, Object.fromEntries(properties.map(([name, property]) => [name, this.written(property)]))];
        }
        if (["anyOf", "allOf", "oneOf"].includes(keyword)) {
          return [keyword, (value as TSchema[]).map((member) => this.written(member))];
        }
        if (keyword === "items" || (keyword === "additionalProperties" && typeof value === "object")) {
          return [keyword, this.written(value as TSchema)];
        }
        return [keyword, value];
      }),
    );
  }
}

const isSchema = (value: unknown): value is TSchema =>
  typeof value === "object" &&
  value !== null &&
  !("id" in value) &&
  ["type", "anyOf", "allOf", "enum"].some((keyword) => keyword in value);
