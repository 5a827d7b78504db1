import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { S3Settings } from "../config/config.ts";
import { OperatorError } from "../errors.ts";
import { Gate } from "../limits/gate.ts";
import { type HeldBytes, holdBytes } from "./hold-bytes.ts";
import { type AskS3, openS3, presigner, textsOf } from "./s3-requests.ts";
import { type Store, StoreError, type Upload } from "./store.ts";

/** The part size. Larger files are uploaded in parts, one after the other. */
const partBytes = 8 * 1_048_576;
/** The most keys that one request can delete. */
const deletedMax = 1000;

/** Those that are sent at a time, each whole or a part of it in memory. */
const smallBytesMax = 256 * 1024;
const smallCommits = new Gate({ runningMax: 64, waitingMax: 1024 });
const largeCommits = new Gate({ runningMax: 4, waitingMax: 256 });

/**
 * A store in a bucket of an S3-compatible service. Keeps bytes in an unnamed file in `folder` until they are committed,
 * so that refused uploads do not reach the bucket. Throws an `OperatorError` if it cannot write and delete a test
 * object.
 */
export async function openS3Store(settings: S3Settings, folder: string): Promise<Store> {
  const ask = openS3(settings);
  const presign = settings.downloadEndpoint && presigner(settings, settings.downloadEndpoint);
  const probe = { key: ".lodged-was-here" };
  try {
    await ask({ method: "PUT", ...probe, body: Buffer.from("lodged") });
    await ask({ method: "DELETE", ...probe });
  } catch (error) {
    throw new OperatorError(
      `Cannot write attachments to the bucket ${settings.bucket} at ${settings.endpoint}: ${(error as Error).message}. ` +
        "Check the S3_* settings.",
    );
  }
  return {
    create: async (key) => createUpload(ask, key, holdBytes(folder)),
    read: async (key, range) => {
      const headers: Record<string, string> = range ? { range: `bytes=${range.start}-${range.end}` } : {};
      const { status, body } = await ask({ method: "GET", key, headers, mayBeMissing: true });
      if (status === 404) {
        await body?.cancel();
        return undefined;
      }
      return body ? Readable.fromWeb(body as ReadableStream) : Readable.from([]);
    },
    presign: async (key, method, headers) => {
      const isThere = presign && (await ask({ method: "HEAD", key, mayBeMissing: true })).ok;
      return isThere ? presign(key, method, headers) : undefined;
    },
    delete: async (keys) => {
      for (let start = 0; start < keys.length; start += deletedMax) {
        await deleteObjects(ask, keys.slice(start, start + deletedMax));
      }
    },
    list: (prefix) => listObjects(ask, prefix),
    deleteUnfinished: (before) => deleteUnfinished(ask, before),
    check: async () => {
      await ask({ method: "HEAD" });
    },
  };
}

function createUpload(ask: AskS3, key: string, held: HeldBytes): Upload {
  let isBegun = false;
  return {
    write: async (chunk) => held.write(chunk),
    commit: () =>
      (held.byteLength() > smallBytesMax ? largeCommits : smallCommits).run(async () => {
        isBegun = true;
        if (held.byteLength() > partBytes) await putInParts(ask, key, held);
        else await ask({ method: "PUT", key, body: await held.read(), sha256: held.sha256() });
        await held.release();
      }),
    abort: async () => {
      await held.release();
      if (isBegun) await ask({ method: "DELETE", key }).catch(() => {});
    },
  };
}

async function putInParts(ask: AskS3, key: string, held: HeldBytes): Promise<void> {
  const begun = await ask({ method: "POST", key, query: { uploads: "" } });
  const uploadId = textsOf(await begun.text(), "UploadId")[0] ?? "";
  try {
    const parts: string[] = [];
    for (let start = 0; start < held.byteLength(); start += partBytes) {
      const partNumber = `${parts.length + 1}`;
      const body = await held.read(start, Math.min(start + partBytes, held.byteLength()));
      const { headers } = await ask({ method: "PUT", key, query: { partNumber, uploadId }, body });
      parts.push(`<Part><PartNumber>${partNumber}</PartNumber><ETag>${headers.get("etag") ?? ""}</ETag></Part>`);
    }
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
    const ended = await ask({ method: "POST", key, query: { uploadId }, body, mayBeMissing: true });
    const said = await ended.text();
    // 404 if an attempt whose response was lost completed the upload. An error can also arrive late, with status 200.
    if (ended.ok ? said.includes("<Error>") : !(await isWhole(ask, key, held.byteLength()))) {
      throw new StoreError(`completing ${key}: ${textsOf(said, "Code")[0] ?? "the upload is gone"}`);
    }
  } catch (error) {
    await ask({ method: "DELETE", key, query: { uploadId } }).catch(() => {}); // otherwise the sweep deletes it
    throw error;
  }
}

async function isWhole(ask: AskS3, key: string, byteLength: number): Promise<boolean> {
  const { ok, headers } = await ask({ method: "HEAD", key, mayBeMissing: true });
  return ok && Number(headers.get("content-length")) === byteLength;
}

async function deleteObjects(ask: AskS3, keys: readonly string[]): Promise<void> {
  const objects = keys.map((key) => `<Object><Key>${key}</Key></Object>`).join("");
  const body = Buffer.from(`<Delete><Quiet>true</Quiet>${objects}</Delete>`);
  const md5 = createHash("md5").update(body).digest("base64"); // required by the protocol here
  const answer = await ask({ method: "POST", query: { delete: "" }, headers: { "content-md5": md5 }, body });
  const [failure] = textsOf(await answer.text(), "Code");
  if (failure) throw new StoreError(`deleting ${keys.length} objects: ${failure}`);
}

async function* listObjects(ask: AskS3, prefix: string): AsyncGenerator<string> {
  for (let after = ""; ; ) {
    const answer = await ask({
      method: "GET",
      query: { "list-type": "2", prefix, ...(after && { "start-after": after }) },
    });
    const page = await answer.text();
    const keys = textsOf(page, "Key");
    yield* keys;
    after = keys.at(-1) ?? "";
    if (keys.length === 0 || textsOf(page, "IsTruncated")[0] !== "true") return;
  }
}

async function deleteUnfinished(ask: AskS3, before: Date): Promise<void> {
  for (let markers = {}; ; ) {
    const page = await (await ask({ method: "GET", query: { uploads: "", ...markers } })).text();
    const uploads = [...page.matchAll(/<Upload>.*?<\/Upload>/gs)].map(([upload]) => {
      const [key = ""] = textsOf(upload, "Key");
      const [uploadId = ""] = textsOf(upload, "UploadId");
      return { key, uploadId, initiated: new Date(textsOf(upload, "Initiated")[0] ?? Number.NaN) };
    });
    for (const { key, uploadId, initiated } of uploads) {
      if (initiated < before) await ask({ method: "DELETE", key, query: { uploadId }, mayBeMissing: true });
    }
    const last = uploads.at(-1);
    if (!last || textsOf(page, "IsTruncated")[0] !== "true") return;
    markers = { "key-marker": last.key, "upload-id-marker": last.uploadId };
  }
}
