import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import { readConfig } from "./config.ts";

const secret = "thirty-two characters at least, you";

test("an empty environment has the default settings", () => {
  assert.deepEqual(readConfig({}), {
    port: 4080,
    host: "127.0.0.1",
    baseUrl: undefined,
    ingestUrl: undefined,
    dataDir: "./data",
    databaseUrl: undefined,
    replicaUrls: [],
    redisUrl: undefined,
    roles: ["api", "ingest", "dashboard", "worker"],
    processes: 1,
    ticketRatePerMinute: 60,
    ingestRateLimits: false,
    ingestKeyRatePerMinute: 60,
    ingestIpRatePerMinute: 200,
    configRatePerMinute: 600,
    ingestRequestBytesMax: 25_000_000,
    ingestAttachmentBytesMax: 26_214_400,
    ingestIdleMs: 30_000,
    s3: undefined,
    s3Account: undefined,
    diskReserveBytes: undefined,
    drainMs: 5_000,
    artifactRetentionDays: 90,
    sourceMapRetentionDays: 180,
    eventRetentionDays: 365,
    largeProblemRetentionDays: 30,
    deliveryRetentionDays: 90,
    activityRetentionDays: 730,
    trustedProxies: [],
    webhookRetryDelaysMs: [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000],
    webhookAllowedNetworks: [],
    smtpUrl: undefined,
    mailFrom: undefined,
    secret: undefined,
    previousSecret: undefined,
    demo: true,
    logLevel: "info",
    tracing: undefined,
  });
});

test("an empty or blank setting counts as not set", () => {
  const names = ["PORT", "HOST", "LODGE_BASE_URL", "LODGE_DATA_DIR", "DATABASE_URL", "LODGE_ROLES", "LODGE_SECRET"];
  for (const blank of ["", "  "]) {
    assert.deepEqual(readConfig(Object.fromEntries(names.map((name) => [name, blank]))), readConfig({}));
  }
});

test("the settings of ingestion are read", () => {
  const config = readConfig({
    LODGE_INGEST_RATE_LIMITS: "on",
    LODGE_INGEST_KEY_RATE_PER_MINUTE: "7",
    LODGE_INGEST_IP_RATE_PER_MINUTE: "8",
    LODGE_CONFIG_RATE_PER_MINUTE: "9",
    LODGE_INGEST_REQUEST_BYTES: "50000000",
    LODGE_INGEST_ATTACHMENT_BYTES: "40000000",
    LODGE_INGEST_IDLE_SECONDS: "5",
    LODGE_DRAIN_SECONDS: "0",
    LODGE_DISK_RESERVE: "0",
    LODGE_ARTIFACT_RETENTION_DAYS: "30",
  });
  assert.equal(config.ingestRateLimits, true);
  assert.equal(config.ingestKeyRatePerMinute, 7);
  assert.equal(config.ingestIpRatePerMinute, 8);
  assert.equal(config.configRatePerMinute, 9);
  assert.equal(config.ingestRequestBytesMax, 50_000_000);
  assert.equal(config.ingestAttachmentBytesMax, 40_000_000);
  assert.equal(config.ingestIdleMs, 5_000);
  assert.equal(config.drainMs, 0);
  assert.equal(readConfig({}).drainMs, 5_000);
  assert.equal(config.diskReserveBytes, 0);
  assert.equal(config.artifactRetentionDays, 30);
});

test("every setting is read", () => {
  const read = (env: Record<string, string>) => readConfig({ LODGE_SECRET: secret, ...env });
  assert.equal(read({ PORT: "0" }).port, 0);
  const mail = { LODGE_SMTP_URL: "smtps://a:b@mail.test", LODGE_MAIL_FROM: "Lodge <lodge@mail.test>" };
  assert.equal(read(mail).smtpUrl, mail.LODGE_SMTP_URL);
  assert.equal(read(mail).mailFrom, mail.LODGE_MAIL_FROM);
  assert.throws(() => read({ LODGE_SMTP_URL: mail.LODGE_SMTP_URL }), /LODGE_MAIL_FROM is required/);
  assert.throws(() => read({ LODGE_SMTP_URL: "https://mail.test" }), /LODGE_SMTP_URL must be an smtp/);
  assert.throws(() => read({ LODGE_MAIL_FROM: "Lodge\n<lodge@mail.test>" }), /LODGE_MAIL_FROM must be/);
  assert.equal(read({ PORT: " 65535 " }).port, 65_535);
  for (const host of ["0.0.0.0", "::", "::1", "localhost", "lodge.example.test"])
    assert.equal(read({ HOST: host }).host, host);
  for (const [sent, kept] of [
    ["https://lodge.example.test", "https://lodge.example.test"],
    ["https://lodge.example.test/", "https://lodge.example.test"],
    ["http://EXAMPLE.test:8080//", "http://example.test:8080"],
  ] as const) {
    assert.equal(read({ LODGE_BASE_URL: sent }).baseUrl, kept);
    assert.equal(read({ LODGE_INGEST_URL: sent }).ingestUrl, kept);
  }
  assert.equal(read({ LODGE_INGEST_URL: "https://example.test/in//" }).ingestUrl, "https://example.test/in");
  assert.equal(read({ LODGE_DATA_DIR: "/var/lib/lodge" }).dataDir, "/var/lib/lodge");
  for (const url of ["postgres://me:word@db/lodge", "postgresql:///lodge?host=%2Ftmp"]) {
    assert.equal(read({ DATABASE_URL: url }).databaseUrl, url);
  }
  assert.deepEqual(read({ LODGE_ROLES: "worker" }).roles, ["worker"]);
  assert.deepEqual(read({ LODGE_ROLES: "api, ingest" }).roles, ["api", "ingest"]);
  assert.equal(read({ LODGE_PROCESSES: "4" }).processes, 4);
  assert.equal(read({ LODGE_PROCESSES: "auto" }).processes, availableParallelism());
  assert.equal(read({ LODGE_TICKET_RATE_PER_MINUTE: "1" }).ticketRatePerMinute, 1);
  assert.deepEqual(read({ LODGE_TRUSTED_PROXIES: "10.0.0.0/8, ::1,fd00::/8" }).trustedProxies, [
    "10.0.0.0/8",
    "::1",
    "fd00::/8",
  ]);
  const s3 = { LODGE_STORE: "s3", S3_BUCKET: "lodge", S3_ACCESS_KEY_ID: "a", S3_SECRET_ACCESS_KEY: "b" };
  assert.deepEqual(read(s3).s3, {
    endpoint: "https://s3.us-east-1.amazonaws.com",
    region: "us-east-1",
    bucket: "lodge",
    accessKeyId: "a",
    secretAccessKey: "b",
    forcePathStyle: false,
    downloadEndpoint: undefined,
  });
  const own = { S3_ENDPOINT: "http://s3.test:9000/", S3_REGION: "here", S3_FORCE_PATH_STYLE: "true" };
  const { endpoint, region, forcePathStyle } = read({ ...s3, ...own }).s3 ?? {};
  assert.deepEqual([endpoint, region, forcePathStyle], ["http://s3.test:9000", "here", true]);
  assert.equal(read({ ...s3, LODGE_STORE: "file" }).s3, undefined);
  assert.throws(
    () => read({ LODGE_STORE: "s3", S3_BUCKET: "lodge" }),
    /S3_ACCESS_KEY_ID is required with LODGE_STORE=s3/,
  );
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };
  assert.deepEqual(
    read({ ...collector, OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" }).tracing,
    {
      url: "http://collector:4318/v1/traces",
      serviceName: "lodged",
      sampler: "traceidratio",
      ratio: 0.25,
    },
  );
  assert.equal(read({ ...collector, OTEL_SDK_DISABLED: "true" }).tracing, undefined);
  assert.throws(() => read({ ...collector, OTEL_TRACES_SAMPLER_ARG: "2" }), /OTEL_TRACES_SAMPLER_ARG must be a number/);
  for (const url of ["redis://cache:6379/1", "rediss://:word@cache", "redis+cluster://a:1,b:2"]) {
    assert.equal(read({ REDIS_URL: url }).redisUrl, url);
  }
  assert.equal(read({}).redisUrl, undefined);
  assert.equal(read({}).secret, secret);
  assert.equal(read({ LODGE_DEMO: "off" }).demo, false);
  assert.equal(read({ LODGE_LOG_LEVEL: "silent" }).logLevel, "silent");
});

test("an external database gets no demo organisation by default", () => {
  const own = { DATABASE_URL: "postgres://db/lodge", LODGE_SECRET: secret };
  assert.equal(readConfig(own).demo, false);
  assert.equal(readConfig({ ...own, LODGE_DEMO: "on" }).demo, true);
});

test("an external database requires LODGE_SECRET, because several servers must share it", () => {
  assert.throws(() => readConfig({ DATABASE_URL: "postgres://db/lodge" }), {
    name: "OperatorError",
    message: /LODGE_SECRET is required with DATABASE_URL: at least 32 characters/,
  });
});

test("an invalid setting is refused with its name and the expected value", () => {
  const wrong: Record<string, string[]> = {
    LODGE_DISK_RESERVE: ["-1", "5%", "1GB", "1.5"],
    PORT: ["-1", "65536", "80.5", "0x50", "1e3", "http", "80 81"],
    HOST: ["http://x", "a b", "x:80", "[::1]", "host/"],
    LODGE_BASE_URL: [
      "lodge.example.test",
      "ftp://x",
      "https://x?a=b",
      "https://x#a",
      "https://me:word@x",
      "//x",
      "https://x/lodge",
    ],
    LODGE_INGEST_URL: ["/api", "http://"],
    DATABASE_URL: ["mysql://db/lodge", "db", "host=db"],
    LODGE_ROLES: ["web", "api,", "api,web", "API", "api ingest"],
    LODGE_PROCESSES: ["0", "65", "-1", "1.5", "Auto", "all"],
    LODGE_TICKET_RATE_PER_MINUTE: ["0", "-1", "1.5", "many"],
    LODGE_TRUSTED_PROXIES: ["localhost", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0/8", "::/129", "10.0.0.1,"],
    LODGE_SECRET: ["short", "x".repeat(31)],
    LODGE_DEMO: ["yes", "true", "1", "ON"],
    LODGE_LOG_LEVEL: ["verbose", "INFO", "warning"],
    LODGE_STORE: ["S3", "minio"],
    S3_ENDPOINT: ["s3.test", "s3://bucket"],
    S3_BUCKET: ["Lodge", "a/b", "x"],
    S3_FORCE_PATH_STYLE: ["yes"],
    REDIS_URL: ["cache:6379", "redis://", "http://cache"],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      assert.throws(
        () => readConfig({ [name]: value }),
        (error: Error) => error.name === "OperatorError" && error.message.includes(`\n  ${name} must be `),
        `${name}=${value}`,
      );
    }
  }
});

test("one message lists all invalid settings, one per line", () => {
  const env = { PORT: "x", LODGE_ROLES: "y", LODGE_DEMO: "z", DATABASE_URL: "postgres://db/lodge", LODGE_SECRET: "s" };
  assert.throws(() => readConfig(env), {
    message: `Invalid settings:
  PORT must be a whole number from 0 to 65535, not "x"
  LODGE_ROLES must be a comma-separated list of api, ingest, dashboard, worker, not "y"
  LODGE_SECRET must be at least 32 characters, not "…"
  LODGE_DEMO must be one of on, off, not "z"`,
  });
});

test("an unknown LODGE_ setting is refused with a similar name, and without its value", () => {
  assert.throws(
    () => readConfig({ LODGE_DATADIR: "hunter2", LODGE_REDIS_URL: "x", LODGE_PORT: "4080", LODGE_TOKENS: "x" }),
    {
      name: "OperatorError",
      message: `Invalid settings:
  LODGE_DATADIR is not a setting of this version; did you mean LODGE_DATA_DIR?
  LODGE_REDIS_URL is not a setting of this version; did you mean REDIS_URL?
  LODGE_PORT is not a setting of this version; did you mean PORT?
  LODGE_TOKENS is not a setting of this version: leave it out`,
    },
  );
});

test("LODGE_ variables of the command line and of Kubernetes are ignored", () => {
  const ofTheClient = { LODGE_URL: "https://x", LODGE_TOKEN: "ldg_x", LODGE_TOKEN_FILE: "/x", LODGE_KEY: "ldk_x" };
  const ofKubernetes = {
    LODGE_SERVICE_HOST: "10.0.0.1",
    LODGE_SERVICE_PORT: "4080",
    LODGE_SERVICE_PORT_HTTP: "4080",
    LODGE_PORT: "tcp://10.0.0.1:4080",
    LODGE_PORT_4080_TCP: "tcp://10.0.0.1:4080",
    LODGE_PORT_4080_TCP_ADDR: "10.0.0.1",
  };
  assert.deepEqual(readConfig({ ...ofTheClient, ...ofKubernetes }), readConfig({}));
});

test("a command needs no secret", () => {
  const { databaseUrl } = readConfig({ DATABASE_URL: "postgres://db/lodge" }, "command");
  assert.equal(databaseUrl, "postgres://db/lodge");
});

test("values without secrets are shown in the message", () => {
  for (const [name, value] of [
    ["LODGE_INGEST_KEY_RATE_PER_MINUTE", "many"],
    ["LODGE_BASE_URL", "https://lodge.example.test/lodge"],
    ["LODGE_INGEST_URL", "lodge.example.test"],
    ["S3_BUCKET", "ab"],
  ] as const) {
    assert.throws(() => readConfig({ [name]: value }), { message: new RegExp(`, not "${value}"$`) });
  }
  assert.throws(() => readConfig({ S3_BUCKET: "ab" }), /S3_BUCKET must be a bucket's name, of 3 to 63 characters/);
});

test("values that may contain a secret are never shown", () => {
  for (const [name, value] of [
    ["LODGE_SECRET", "hunter2"],
    ["DATABASE_URL", "mysql://me:hunter2@db/lodge"],
    ["LODGE_BASE_URL", "https://me:hunter2@lodge.example.test"],
    ["LODGE_INGEST_URL", "https://lodge.example.test?token=hunter2"],
    ["S3_ENDPOINT", "s3://me:hunter2@s3.example.test"],
    ["LODGE_SMTP_URL", "hunter2"],
    ["REDIS_URL", "hunter2"],
  ] as const) {
    assert.throws(
      () => readConfig({ [name]: value }),
      (error: Error) => error.message.includes(name) && !error.message.includes("hunter2"),
    );
  }
});
