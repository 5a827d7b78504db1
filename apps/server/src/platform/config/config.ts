import { attachmentBytesMax, requestBytesMax } from "@lodge/contract/limits";
import { OperatorError } from "../errors.ts";
import { type LogLevel, logLevels } from "../observe/log.ts";
import { samplers, type TracingSettings } from "../observe/tracing.ts";
import { isOfKubernetes, settingsOfOthers, shown, unknownSetting } from "./name-settings.ts";
import {
  bucketName,
  durationList,
  durationMs,
  hostName,
  httpUrl,
  integerBetween,
  longSecret,
  mailAddress,
  networkList,
  originUrl,
  postgresUrl,
  processCount,
  ratio,
  redisUrl,
  smtpUrl,
} from "./parse-settings.ts";
import { readReplicas } from "./read-hosts.ts";

/** The roles of a process; LODGE_ROLES lists some of them. */
const roles = ["api", "ingest", "dashboard", "worker"] as const;
type Role = (typeof roles)[number];

/** The validated settings of contract section 7. */
export type Config = {
  /** PORT: the port to listen on; 0 for a free one. */
  port: number;
  /** HOST: the address to listen on. */
  host: string;
  /** LODGE_BASE_URL: the public address of the ticket API and the dashboard: scheme, host and port. */
  baseUrl: string | undefined;
  /** LODGE_INGEST_URL: the public address of the ingestion endpoint, without a trailing slash. */
  ingestUrl: string | undefined;
  /** LODGE_DATA_DIR: the folder of the embedded database and the attachments. */
  dataDir: string;
  /** DATABASE_URL: an external PostgreSQL instead of the embedded one. */
  databaseUrl: string | undefined;
  /** DATABASE_REPLICA_URLS: streaming standbys of DATABASE_URL that answer lists of the dashboard. */
  replicaUrls: readonly string[];
  /** REDIS_URL: Redis or Valkey, which counts rate limits instead of the database. */
  redisUrl: string | undefined;
  /** LODGE_ROLES: the roles of this process. */
  roles: readonly Role[];
  /** LODGE_PROCESSES: the number of processes on this machine that share the port. */
  processes: number;
  /** LODGE_TICKET_RATE_PER_MINUTE: requests a minute for each API token. */
  ticketRatePerMinute: number;
  /** LODGE_INGEST_RATE_LIMITS: whether ingestion has rate limits. */
  ingestRateLimits: boolean;
  /** LODGE_INGEST_KEY_RATE_PER_MINUTE: reports a minute for each SDK key. */
  ingestKeyRatePerMinute: number;
  /** LODGE_INGEST_IP_RATE_PER_MINUTE: reports a minute from each source address. */
  ingestIpRatePerMinute: number;
  /** LODGE_CONFIG_RATE_PER_MINUTE: configuration requests a minute that count an install, for each key and address. */
  configRatePerMinute: number;
  /** LODGE_INGEST_REQUEST_BYTES: the size limit of an ingestion request. */
  ingestRequestBytesMax: number;
  /** LODGE_INGEST_ATTACHMENT_BYTES: the size limit of an attachment. */
  ingestAttachmentBytesMax: number;
  /** LODGE_INGEST_IDLE_SECONDS: the idle timeout of an ingestion request. */
  ingestIdleMs: number;
  /** LODGE_DRAIN_SECONDS: the time that a stopping server continues to serve while `/readyz` says 503. */
  drainMs: number;
  /** LODGE_STORE=s3 and the S3_* settings: the object store; undefined for files in the data directory. */
  s3: S3Settings | undefined;
  /** The S3_* settings without the bucket, for backups to s3://; undefined without access keys. */
  s3Account: Omit<S3Settings, "bucket"> | undefined;
  /** LODGE_DISK_RESERVE: bytes that stay free on each disk; undefined for the larger of 5 % and 1 GB. */
  diskReserveBytes: number | undefined;
  /** LODGE_ARTIFACT_RETENTION_DAYS: the retention of attachments. */
  artifactRetentionDays: number;
  /** LODGE_SOURCE_MAP_RETENTION_DAYS: the retention of source maps since a report last used them. */
  sourceMapRetentionDays: number;
  /** LODGE_EVENT_RETENTION_DAYS: the retention of events, except for the ones that Lodge keeps longer. */
  eventRetentionDays: number;
  /** LODGE_LARGE_PROBLEM_RETENTION_DAYS: the retention of a problem's events beyond its latest 1,000. */
  largeProblemRetentionDays: number;
  /** LODGE_DELIVERY_RETENTION_DAYS: the retention of delivery attempts. */
  deliveryRetentionDays: number;
  /** LODGE_ACTIVITY_RETENTION_DAYS: the retention of ticket activity, except for the filing. */
  activityRetentionDays: number;
  /** LODGE_TRUSTED_PROXIES: the proxies whose X-Forwarded-For is trusted. */
  trustedProxies: readonly string[];
  /** LODGE_WEBHOOK_RETRY_SCHEDULE: the delay before each retry of a delivery. */
  webhookRetryDelaysMs: readonly number[];
  /** LODGE_WEBHOOK_ALLOWED_NETWORKS: private networks to which deliveries are allowed. */
  webhookAllowedNetworks: readonly string[];
  /** LODGE_SMTP_URL: the mail server. Without it, no e-mail is sent. */
  smtpUrl: string | undefined;
  /** LODGE_MAIL_FROM: the sender of e-mail. */
  mailFrom: string | undefined;
  /** LODGE_SECRET: signs links and sessions, and encrypts stored secrets; undefined if it is in the data directory. */
  secret: string | undefined;
  /** LODGE_SECRET_PREVIOUS: the previous secret, with which stored secrets may still be encrypted. */
  previousSecret: string | undefined;
  /** LODGE_DEMO: whether an empty embedded database gets the demo organisation. */
  demo: boolean;
  /** LODGE_LOG_LEVEL: the lowest level to log. */
  logLevel: LogLevel;
  /** The standard variables of OpenTelemetry; undefined if they name no trace collector. */
  tracing: TracingSettings | undefined;
};

/** The address and credentials of an S3-compatible store. */
export type S3Settings = {
  /** S3_ENDPOINT: the address without a trailing slash; defaults to that of AWS for the region. */
  endpoint: string;
  /** S3_REGION: defaults to us-east-1. */
  region: string;
  /** S3_BUCKET: a bucket for Lodge only. */
  bucket: string;
  /** S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY. */
  accessKeyId: string;
  secretAccessKey: string;
  /** S3_FORCE_PATH_STYLE: whether the bucket is the first part of the path instead of the host name. */
  forcePathStyle: boolean;
  /** S3_DOWNLOAD_ENDPOINT: the address from which clients download; undefined if only servers have access. */
  downloadEndpoint: string | undefined;
};

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings of an environment. Throws one `OperatorError` that lists every invalid setting and every unknown
 * `LODGE_*` variable. A `command` signs nothing, so it needs no secret.
 */
export function readConfig(env: Environment, purpose: "server" | "command" = "server"): Config {
  const problems: string[] = [];
  const known = new Set<string>(settingsOfOthers);

  const read = <T>(name: string, fallback: T, parse: (text: string) => T | undefined, expected: string): T => {
    known.add(name);
    const text = env[name]?.trim();
    if (!text) return fallback;
    const value = parse(text);
    if (value === undefined) {
      problems.push(`${name} must be ${expected}, not ${JSON.stringify(shown(name, text))}`);
      return fallback;
    }
    return value;
  };
  const integer = (name: string, fallback: number, min: number, max: number) =>
    read(name, fallback, (text) => integerBetween(text, min, max), `a whole number from ${min} to ${max}`);
  const url = (name: string) =>
    read<string | undefined>(name, undefined, httpUrl, "an http:// or https:// address without query");
  const oneOf = <T extends string>(name: string, fallback: T, values: readonly T[]) =>
    read(name, fallback, (text) => values.find((value) => value === text), `one of ${values.join(", ")}`);

  const text = (name: string) => read<string | undefined>(name, undefined, (value) => value, "");

  const region = read(
    "S3_REGION",
    "us-east-1",
    (name) => (/^[\w-]+$/.test(name) ? name : undefined),
    "a region's name",
  );
  const s3 = {
    endpoint: url("S3_ENDPOINT") ?? `https://s3.${region}.amazonaws.com`,
    region,
    bucket: read<string | undefined>("S3_BUCKET", undefined, bucketName, "a bucket's name, of 3 to 63 characters"),
    accessKeyId: text("S3_ACCESS_KEY_ID"),
    secretAccessKey: text("S3_SECRET_ACCESS_KEY"),
    forcePathStyle: ["on", "true"].includes(oneOf("S3_FORCE_PATH_STYLE", "off", ["on", "off", "true", "false"])),
    downloadEndpoint: url("S3_DOWNLOAD_ENDPOINT"),
  };
  const isOnS3 = oneOf("LODGE_STORE", "file", ["file", "s3"]) === "s3";
  const databaseUrl = read<string | undefined>(
    "DATABASE_URL",
    undefined,
    postgresUrl,
    "a postgres:// address of a writable server, with one or several hosts",
  );
  const collector = url("OTEL_EXPORTER_OTLP_ENDPOINT");
  const tracesUrl = url("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") ?? (collector && `${collector}/v1/traces`);
  const config: Config = {
    port: integer("PORT", 4080, 0, 65_535),
    host: read("HOST", "127.0.0.1", hostName, "an IP address or a host name"),
    baseUrl: read<string | undefined>(
      "LODGE_BASE_URL",
      undefined,
      originUrl,
      "an http:// or https:// address without path or query, since the dashboard needs a host name of its own",
    ),
    ingestUrl: url("LODGE_INGEST_URL"),
    dataDir: read("LODGE_DATA_DIR", "./data", (text) => text, "a path"),
    databaseUrl,
    replicaUrls: read("DATABASE_REPLICA_URLS", [], readReplicas, "a comma-separated list of postgres:// addresses"),
    redisUrl: read<string | undefined>(
      "REDIS_URL",
      undefined,
      redisUrl,
      "a redis://, rediss:// or redis+cluster:// address",
    ),
    roles: read("LODGE_ROLES", roles, roleList, `a comma-separated list of ${roles.join(", ")}`),
    processes: read("LODGE_PROCESSES", 1, processCount, "a whole number from 1 to 64, or auto"),
    ticketRatePerMinute: integer("LODGE_TICKET_RATE_PER_MINUTE", 60, 1, 1_000_000_000),
    ingestRateLimits: oneOf("LODGE_INGEST_RATE_LIMITS", "off", ["on", "off"]) === "on",
    ingestKeyRatePerMinute: integer("LODGE_INGEST_KEY_RATE_PER_MINUTE", 60, 1, 1_000_000_000),
    ingestIpRatePerMinute: integer("LODGE_INGEST_IP_RATE_PER_MINUTE", 200, 1, 1_000_000_000),
    configRatePerMinute: integer("LODGE_CONFIG_RATE_PER_MINUTE", 600, 1, 1_000_000_000),
    ingestRequestBytesMax: integer("LODGE_INGEST_REQUEST_BYTES", requestBytesMax, 1_000, 2_000_000_000),
    ingestAttachmentBytesMax: integer("LODGE_INGEST_ATTACHMENT_BYTES", attachmentBytesMax, 1_000, 2_000_000_000),
    ingestIdleMs: integer("LODGE_INGEST_IDLE_SECONDS", 30, 1, 3_600) * 1000,
    drainMs: integer("LODGE_DRAIN_SECONDS", 5, 0, 3_600) * 1000,
    s3: isOnS3 && isComplete(s3) ? s3 : undefined,
    s3Account: isAccount(s3) ? s3 : undefined,
    diskReserveBytes: read<number | undefined>(
      "LODGE_DISK_RESERVE",
      undefined,
      (text) => integerBetween(text, 0, Number.MAX_SAFE_INTEGER),
      "a whole number of bytes",
    ),
    artifactRetentionDays: integer("LODGE_ARTIFACT_RETENTION_DAYS", 90, 1, 36_500),
    sourceMapRetentionDays: integer("LODGE_SOURCE_MAP_RETENTION_DAYS", 180, 1, 36_500),
    eventRetentionDays: integer("LODGE_EVENT_RETENTION_DAYS", 365, 1, 36_500),
    largeProblemRetentionDays: integer("LODGE_LARGE_PROBLEM_RETENTION_DAYS", 30, 1, 36_500),
    deliveryRetentionDays: integer("LODGE_DELIVERY_RETENTION_DAYS", 90, 1, 36_500),
    activityRetentionDays: integer("LODGE_ACTIVITY_RETENTION_DAYS", 730, 1, 36_500),
    trustedProxies: read(
      "LODGE_TRUSTED_PROXIES",
      [],
      networkList,
      "a comma-separated list of addresses or CIDR networks",
    ),
    webhookRetryDelaysMs: read(
      "LODGE_WEBHOOK_RETRY_SCHEDULE",
      ["5s", "5m", "30m", "2h", "5h", "10h", "10h"].map((text) => durationMs(text) ?? 0),
      durationList,
      "1 to 20 waits such as 5s,5m,2h, each from 100ms to 7d",
    ),
    webhookAllowedNetworks: read(
      "LODGE_WEBHOOK_ALLOWED_NETWORKS",
      [],
      networkList,
      "a comma-separated list of addresses or CIDR networks",
    ),
    smtpUrl: read<string | undefined>("LODGE_SMTP_URL", undefined, smtpUrl, "an smtp:// or smtps:// address"),
    mailFrom: read<string | undefined>("LODGE_MAIL_FROM", undefined, mailAddress, "an address, or Name <address>"),
    secret: read<string | undefined>("LODGE_SECRET", undefined, longSecret, "at least 32 characters"),
    previousSecret: read<string | undefined>("LODGE_SECRET_PREVIOUS", undefined, longSecret, "at least 32 characters"),
    demo: oneOf("LODGE_DEMO", databaseUrl ? "off" : "on", ["on", "off"]) === "on",
    logLevel: oneOf<LogLevel>("LODGE_LOG_LEVEL", "info", logLevels),
    tracing:
      tracesUrl && text("OTEL_SDK_DISABLED") !== "true" && text("OTEL_TRACES_EXPORTER") !== "none"
        ? {
            url: tracesUrl,
            serviceName: text("OTEL_SERVICE_NAME") ?? "lodged",
            sampler: oneOf("OTEL_TRACES_SAMPLER", "parentbased_always_on", samplers),
            ratio: read("OTEL_TRACES_SAMPLER_ARG", 1, ratio, "a number from 0 to 1"),
          }
        : undefined,
  };
  for (const name of ["S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"]) {
    if (isOnS3 && !env[name]?.trim()) problems.push(`${name} is required with LODGE_STORE=s3`);
  }
  if (purpose === "server" && config.databaseUrl && !env.LODGE_SECRET?.trim()) {
    problems.push("LODGE_SECRET is required with DATABASE_URL: at least 32 characters, the same for every process");
  }
  if (config.replicaUrls.length > 0 && !config.databaseUrl) {
    problems.push("DATABASE_REPLICA_URLS requires an external PostgreSQL: set DATABASE_URL as well");
  }
  if (config.smtpUrl && !config.mailFrom) problems.push("LODGE_MAIL_FROM is required with LODGE_SMTP_URL");
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith("LODGE_") || known.has(name) || isOfKubernetes(name, value)) continue;
    problems.push(unknownSetting(name, known));
  }
  if (problems.length > 0)
    throw new OperatorError(`Invalid settings:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
  return config;
}

type S3Found = { [Name in keyof S3Settings]: S3Settings[Name] | undefined };

const isAccount = (s3: S3Found): s3 is S3Settings => s3.accessKeyId !== undefined && s3.secretAccessKey !== undefined;

const isComplete = (s3: S3Found): s3 is S3Settings => s3.bucket !== undefined && isAccount(s3);

function roleList(text: string): readonly Role[] | undefined {
  const named = text.split(",").map((name) => name.trim());
  return named.every((name): name is Role => roles.some((role) => role === name)) ? named : undefined;
}
