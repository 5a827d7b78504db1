import { createHash, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import { addressOf, CallError, readError, unanswered } from "@lodge/contract/call";
import { getClientConfig, submitReport } from "@lodge/contract/calls.generated";
import { failureOf, openClient, retrying, userAgent } from "./client.ts";
import { type Environment, readAddress, readKey } from "./credentials.ts";
import { exitCodes, Failure } from "./failure.ts";
import type { Terminal } from "./terminal.ts";
import { cleanText, fitTitle } from "./text.ts";

/** The options of `lodge report send` (contract section 9). */
export type ReportOptions = {
  title?: string;
  message?: string;
  kind?: string;
  attach?: string[];
  reportId?: string;
  json?: boolean;
};

const attachmentsMax = 5;
const messageLengthMax = 20_000;
const types: Record<string, string> = {
  ".gz": "application/gzip",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".json": "application/json",
  ".log": "text/plain",
  ".mp4": "video/mp4",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".txt": "text/plain",
  ".webm": "video/webm",
  ".webp": "image/webp",
  ".xml": "application/xml",
  ".zip": "application/zip",
};

/** Sends a report with files, and prints the id of its event. Returns the exit code; throws a `Failure`. */
export async function sendReport(options: ReportOptions, env: Environment, terminal: Terminal): Promise<number> {
  const key = readKey(env, terminal);
  const address = readAddress(env);
  const paths = options.attach ?? [];
  if (options.title === undefined && options.message === undefined && paths.length === 0) {
    throw new Failure("usage", "Give --title, --message or --attach.");
  }
  if (paths.length > attachmentsMax) throw new Failure("usage", `--attach takes at most ${attachmentsMax} files.`);
  const files = await Promise.all(paths.map(readAttachment));
  const form = new FormData();
  const envelope = {
    reportId: options.reportId ?? randomUUID(),
    kind: options.kind,
    title: options.title === undefined ? undefined : fitTitle(options.title).title,
    message:
      options.message === undefined ? undefined : [...cleanText(options.message)].slice(0, messageLengthMax).join(""),
    occurredAt: new Date().toISOString(),
    sdk: { name: "lodge-cli", version: userAgent.split("/")[1] },
    attachments: files.map(({ declared }) => declared),
  };
  form.set("envelope", new Blob([JSON.stringify(envelope)], { type: "application/json" }));
  for (const { declared, bytes } of files) {
    form.set(declared.partName, new Blob([bytes], { type: declared.contentType }), declared.filename);
  }
  try {
    const send = retrying({ terminal });
    const response = await send(`${address}${addressOf(submitReport.path, {}, {})}`, {
      method: submitReport.method,
      headers: { authorization: `Bearer ${key}`, "user-agent": userAgent },
      body: form,
    }).catch((error: Error) => {
      throw unanswered(error);
    });
    if (!response.ok) throw await readError(response);
    const { eventId, deliveryCount, idempotent } = (await response.json()) as {
      eventId: string;
      deliveryCount: number;
      idempotent: boolean;
    };
    terminal.print(options.json ? JSON.stringify({ eventId, deliveryCount, idempotent }, null, 2) : eventId);
    if (idempotent) terminal.say("This report was received before. Nothing new was stored.");
    return exitCodes.done;
  } catch (error) {
    throw error instanceof CallError ? failureOf(error, address) : error;
  }
}

/** Prints the app's client configuration. */
export async function showConfig(env: Environment, terminal: Terminal): Promise<number> {
  const secret = readKey(env, terminal);
  const address = readAddress(env);
  try {
    terminal.print(JSON.stringify(await openClient({ address, secret, terminal })(getClientConfig), null, 2));
    return exitCodes.done;
  } catch (error) {
    throw error instanceof CallError ? failureOf(error, address) : error;
  }
}

async function readAttachment(path: string, index: number) {
  const bytes = await readFile(path).catch((error: Error) => {
    throw new Failure("usage", `--attach cannot be read: ${error.message}`);
  });
  const filename = basename(path).slice(0, 255);
  const contentType = types[extname(path).toLowerCase()] ?? "application/octet-stream";
  const declared = {
    partName: `file-${index + 1}`,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    byteLength: bytes.length,
    filename,
    contentType,
  };
  return { declared, bytes };
}
