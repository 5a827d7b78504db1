import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import type { S3Settings } from "../config/config.ts";
import { describe } from "../errors.ts";
import { type SavedAs, StoreError } from "./store.ts";

const triesMax = 3;
const firstWaitMs = 100;
const timeoutMs = 10_000;
/** A slower connection counts as hanging. */
const slowestBytesPerMs = 50;

/** A request to the store. `key` names an object; without it, the bucket is meant. */
type Question = {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Buffer;
  /** The SHA-256 of `body`, where it is known. */
  sha256?: Buffer;
  /** Whether a 404 is an answer like any other. */
  mayBeMissing?: boolean;
};

/** Asks the store; throws a `StoreError` for every answer but success. */
export type AskS3 = (question: Question) => Promise<Response>;

/**
 * Signed requests to a bucket. The signature covers the bytes of a body, so that the store refuses what has changed on
 * its way. A request without an answer, or with 429 or 5xx, is tried three times: all requests may be repeated.
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
      clearTimeout(deadline); // however long the body takes to be read
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

/** The address of the bucket at an endpoint, without a slash at the end. */
function addressOf(endpoint: string, { bucket, forcePathStyle }: S3Settings): string {
  const root = new URL(endpoint);
  if (!forcePathStyle) root.host = `${bucket}.${root.host}`;
  return `${root.href.replace(/\/+$/, "")}${forcePathStyle ? `/${bucket}` : ""}`;
}

const presignedSeconds = 300;

/** Makes addresses at which the store gives an object to anybody for five minutes, by one method and under these headers. */
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
    return url.replaceAll("+", "%20"); // what signs and what checks read a plus differently
  };
}

/** The texts of the elements of a name in the store's XML; what we read there needs no unescaping but this. */
export const textsOf = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text = ""]) =>
    text.replaceAll("&quot;", '"').replaceAll("&amp;", "&"),
  );

const codeOf = (xml: string) => textsOf(xml, "Code")[0] ?? "";

/** The message of fetch, with its cause. */
const describeAll = (error: Error) => (error.cause instanceof Error ? describe(error.cause) : error.message);
