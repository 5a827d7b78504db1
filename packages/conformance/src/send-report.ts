import { createHash, randomUUID } from "node:crypto";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { text as readText } from "node:stream/consumers";
import { parseObject, request, type Seen } from "./request.ts";
import { expect } from "./row.ts";
import type { Subject } from "./subject.ts";

/** A part of a report's form. */
export type Part = { name: string; bytes: string | Uint8Array<ArrayBuffer>; type?: string };

/** Makes a function that sends reports with an SDK key: `POST /api/ingest`. */
export const reportSender =
  ({ ingest }: Subject, key: string) =>
  (parts: Part[], authorization = `Bearer ${key}`): Promise<Seen> => {
    const form = new FormData();
    for (const { name, bytes, type = "application/octet-stream" } of parts)
      form.append(name, new Blob([bytes], { type }), name);
    return request(`${ingest}/api/ingest`, { method: "POST", headers: { authorization }, body: form });
  };

/** An envelope part with a new reportId. */
export const makeEnvelope = (fields: object = {}): Part => ({
  name: "envelope",
  bytes: JSON.stringify({ reportId: randomUUID(), ...fields }),
  type: "application/json",
});

/** A small attachment, and how an envelope declares it. */
export const log: Part = { name: "log", bytes: "aaa" };
export const declaredLog = { partName: "log", sha256: createHash("sha256").update("aaa").digest("hex"), byteLength: 3 };

/** Expects that a report was received. */
export const expectReceived = ({ status, body, text }: Seen, idempotent: boolean): void =>
  expect(
    status === 200 &&
      typeof body.status === "string" &&
      typeof body.eventId === "string" &&
      typeof body.deliveryCount === "number" &&
      body.idempotent === idempotent,
    `got ${status} ${text.slice(0, 200)}`,
  );

/** Sends a report with attachments of zeros. The response may arrive before all bytes are sent. */
export function sendZeros({ ingest, key }: Subject, byteLengths: number[]): Promise<Seen> {
  const boundary = randomUUID();
  const url = new URL(`${ingest}/api/ingest`);
  return new Promise((resolve, reject) => {
    const sent = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": `multipart/form-data; boundary=${boundary}` },
      agent: false,
    });
    sent.on("response", (response) => {
      readText(response).then((text) => {
        const headers = new Headers({ "retry-after": response.headers["retry-after"] ?? "" });
        resolve({ status: response.statusCode ?? 0, text, body: parseObject(text), headers });
        sent.destroy();
      }, reject);
    });
    sent.on("error", reject);
    Readable.from(formOfZeros(boundary, byteLengths)).pipe(sent);
  });
}

const zeros = new Uint8Array(65_536);

function* formOfZeros(boundary: string, byteLengths: number[]) {
  const attachments = byteLengths.map((byteLength, index) => ({
    partName: `zeros-${index}`,
    byteLength,
    sha256: createHash("sha256").update(Buffer.alloc(byteLength)).digest("hex"),
  }));
  const head = (name: string, type: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"; filename="${name}"\r\ncontent-type: ${type}\r\n\r\n`;
  yield `${head("envelope", "application/json")}${JSON.stringify({ reportId: randomUUID(), attachments })}\r\n`;
  for (const { partName, byteLength } of attachments) {
    yield head(partName, "application/octet-stream");
    for (let left = byteLength; left > 0; left -= zeros.length) yield zeros.subarray(0, left);
    yield "\r\n";
  }
  yield `--${boundary}--\r\n`;
}
