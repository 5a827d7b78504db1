import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import type { S3Settings } from "../config/config.ts";
import { describe } from "../errors.ts";
import { type SavedAs, StoreError } from "./store.ts";

const triesMax = 3;
const firstWaitMs = 100;
const timeoutMs = 10_000;
/** The slowest connection that does not count as hanging. */
const slowestBytesPerMs = 50;

/** A request to the store, for the object `key`, or without it for the bucket. */
type Question = {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Buffer;
  /** The SHA-256 of `body`, if it is known. */
  sha256?: Buffer;
  /** Whether 404 is not an error. */
  mayBeMissing?: boolean;
};

/** Sends a request to the store; throws a `StoreError` unless it succeeds. */
export type AskS3 = (question: Question) => Promise<Response>;

/**
 * Opens a client for signed requests to a bucket. The signature covers the body, so that the store refuses corrupted
 * bytes. Makes three attempts without a response or with 429 or 5xx, since all requests are idempotent.
 */
export function openS3(settings: S3Settings): AskS3 {
  const { endpoint, bucket } = settings;
  const client = clientOf(settings);
  const base = addressOf(endpoint, settings);

  async function ask({ method, key = "", query = {}, headers, body, sha256 }: Question): Promise<Response> {
    const hash =
      sha256 ??
      createHash("sha256")
        .update(body ?? "")
        .digest();
    const signed = await client.sign(`${base}/${key}?${new URLSearchParams(query)}`, {
      method,
      headers: { ...headers, "x-amz-content-sha256": hash.toString("hex") },
      ...(body && { body: new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.length) }),
    });
    const controller = new AbortController();
    const deadline = setTimeout(() => controller.abort(), timeoutMs + (body?.length ?? 0) / slowestBytesPerMs);
    try {
      return await fetch(signed, { signal: controller.signal, redirect: "error" });
    } finally {
      clearTimeout(deadline); // regardless of how long the body takes
    }
  }

  return async (question) => {
    const { method, key = "", mayBeMissing } = question;
    for (let tried = 1; ; tried++) {
      const answer = await ask(question).catch((error: Error) => error);
      const isFailure = answer instanceof Error || answer.status === 429 || answer.status >= 500;
      if (!isFailure && (answer.ok || (mayBeMissing && answer.status === 404))) return answer;
      const reason =
        answer instanceof Error
          ? describeAll(answer)
          : `${answer.status} ${codeOf(await answer.text().catch(() => ""))}`;
      if (!isFailure || tried === triesMax) throw new StoreError(`${method} ${bucket}/${key}: ${reason}`);
      await sleep(firstWaitMs * 2 ** tried * Math.random());
    }
  };
}

const clientOf = ({ region, accessKeyId, secretAccessKey }: S3Settings) =>
  new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3" });

/** The address of the bucket at an endpoint, without a trailing slash. */
function addressOf(endpoint: string, { bucket, forcePathStyle }: S3Settings): string {
  const root = new URL(endpoint);
  if (!forcePathStyle) root.host = `${bucket}.${root.host}`;
  return `${root.href.replace(/\/+$/, "")}${forcePathStyle ? `/${bucket}` : ""}`;
}

const presignedSeconds = 300;

/** Creates presigned URLs, which are valid for five minutes, for one method and with fixed response headers. */
export function presigner(settings: S3Settings, downloadEndpoint: string) {
  const client = clientOf(settings);
  const base = addressOf(downloadEndpoint, settings);
  return async (key: string, method: "GET" | "HEAD", { contentType, contentDisposition }: SavedAs): Promise<string> => {
    const query = new URLSearchParams({
      "X-Amz-Expires": `${presignedSeconds}`,
      "response-content-type": contentType,
      "response-content-disposition": contentDisposition,
      "response-cache-control": "private, max-age=3600",
    });
    const { url } = await client.sign(`${base}/${key}?${query}`, { method, aws: { signQuery: true } });
    return url.replaceAll("+", "%20"); // clients and stores interpret a plus differently
  };
}

/** The texts of the elements with a name in the store's XML. The values that Lodge reads need no other unescaping. */
export const textsOf = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text = ""]) =>
    text.replaceAll("&quot;", '"').replaceAll("&amp;", "&"),
  );

const codeOf = (xml: string) => textsOf(xml, "Code")[0] ?? "";

/** The message of a fetch error, with its cause. */
const describeAll = (error: Error) => (error.cause instanceof Error ? describe(error.cause) : error.message);
