import { createHash, randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";

/** A server to look at, with credentials of its own: the token reaches exactly one project. */
export type Subject = { base: string; ingest: string; token: string; key: string };

/** A row of the interface, and what was seen where it does not hold. */
export type Row = { section: string; row: string; failure: string | undefined };

type Seen = { status: number; text: string; body: Record<string, unknown>; headers: Headers };
type Check = { section: string; row: string; run: () => Promise<void> };

class Mismatch extends Error {}

const expect = (holds: boolean, what: string) => {
  if (!holds) throw new Mismatch(what);
};

async function ask(address: string, init: RequestInit): Promise<Seen> {
  const response = await fetch(address, { redirect: "manual", ...init });
  const text = await response.text();
  let body: Record<string, unknown> = {};
  try {
    body = JSON.parse(text) as Record<string, unknown>;
  } catch {}
  return { status: response.status, text, body, headers: response.headers };
}

const isRefused = ({ status, body, text }: Seen, wanted: number, code: string) =>
  expect(status === wanted && body.error === code, `expected ${wanted} ${code}, got ${status} ${text.slice(0, 200)}`);

/** Runs the rows one after another; each makes what it needs. It files tickets and sends reports: use a project for tests. */
export async function* checkConformance(subject: Subject): AsyncGenerator<Row> {
  for (const { section, row, run } of [...ticketRows(subject), ...reportRows(subject)]) {
    try {
      await run();
      yield { section, row, failure: undefined };
    } catch (error) {
      yield {
        section,
        row,
        failure: error instanceof Mismatch ? error.message : `no answer: ${(error as Error).message}`,
      };
    }
  }
}

function ticketRows({ base, token }: Subject): Check[] {
  const file = (body: unknown, headers: Record<string, string> = {}, authorization = `Bearer ${token}`) =>
    ask(`${base}/api/v1/tickets`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const title = "Conformance";
  const refuses = (section: string, row: string, status: number, code: string, body: unknown): Check => ({
    section,
    row,
    run: async () => isRefused(await file(body), status, code),
  });
  const accepts = (section: string, row: string, body: object): Check => ({
    section,
    row,
    run: async () => {
      const { status, text } = await file(body);
      expect(status === 201, `expected 201, got ${status} ${text.slice(0, 200)}`);
    },
  });
  return [
    {
      section: "2.3",
      row: "a ticket is answered with 201, its ids, createdAt and url",
      run: async () => {
        const { status, body, text } = await file({ title });
        expect(status === 201, `expected 201, got ${status} ${text.slice(0, 200)}`);
        const missing = ["id", "title", "projectId", "boardId", "columnId", "createdAt", "url"].filter(
          (field) => typeof body[field] !== "string",
        );
        expect(missing.length === 0, `without ${missing.join(", ")}`);
        expect(body.title === title, `title is ${JSON.stringify(body.title)}`);
      },
    },
    accepts("2.2", "a title of 200 characters beyond the BMP", { title: "😀".repeat(200) }),
    accepts("2.2", "a description of 20,000 characters", { title, description: "x".repeat(20_000) }),
    accepts("2.2", "priority, startsAt and dueAt on one day, and null where it may be", {
      title,
      priority: "high",
      startsAt: "2026-05-01",
      dueAt: "2026-05-01",
      assigneeUserId: null,
      agentRepositoryId: null,
    }),
    refuses("7.1", "no title", 400, "invalid_input", {}),
    refuses("7.1", "an empty title", 400, "invalid_input", { title: "" }),
    refuses("7.1", "a title of 201 characters", 400, "invalid_input", { title: "x".repeat(201) }),
    refuses("7.1", "a description of 20,001 characters", 400, "invalid_input", {
      title,
      description: "x".repeat(20_001),
    }),
    refuses("7.1", "an unrecognised field", 400, "invalid_input", { title, colour: "red" }),
    refuses("7.1", "a priority of another name", 400, "invalid_input", { title, priority: "urgent" }),
    refuses("7.1", "a day that does not exist", 400, "invalid_input", { title, dueAt: "2026-02-30" }),
    refuses("7.1", "a body that is no JSON", 400, "invalid_input", "{"),
    refuses("7.1", "startsAt after dueAt", 400, "invalid_date_range", {
      title,
      startsAt: "2026-05-02",
      dueAt: "2026-05-01",
    }),
    refuses("7.1", "an assignee who is not a member", 400, "not_a_member", { title, assigneeUserId: randomUUID() }),
    refuses("7.1", "a repository that is not bound", 400, "invalid_agent_repository", {
      title,
      agentRepositoryId: randomUUID(),
    }),
    refuses("7.1", "a project that does not exist", 404, "project_not_found", { title, projectId: randomUUID() }),
    refuses("7.1", "a board that does not exist", 404, "board_not_found", { title, boardId: randomUUID() }),
    refuses("7.1", "a column that does not exist", 404, "column_not_found", { title, columnId: randomUUID() }),
    {
      section: "5",
      row: "a missing, malformed or unknown token gives one and the same 401",
      run: async () => {
        const seen = [];
        for (const authorization of [
          "",
          "Bearer",
          `Basic ${token}`,
          "Bearer nonsense",
          `Bearer ${token.slice(0, -1)}`,
        ]) {
          seen.push(await file({ title }, {}, authorization));
        }
        for (const each of seen) isRefused(each, 401, "invalid_api_token");
        expect(new Set(seen.map(({ text }) => text)).size === 1, "the bodies differ");
      },
    },
    {
      section: "4.1",
      row: "a key that is used again replays the same 201 and the same body, whatever is sent",
      run: async () => {
        const key = { "idempotency-key": randomUUID() };
        const first = await file({ title }, key);
        for (const body of [{ title }, { title: "" }, "{", ""]) {
          const again = await file(body, key);
          expect(again.status === 201 && again.text === first.text, `another answer to ${JSON.stringify(body)}`);
        }
      },
    },
    {
      section: "7.1",
      row: "a key that is empty, or has 256 characters",
      run: async () => {
        for (const key of ["", "x".repeat(256)]) {
          isRefused(await file({ title }, { "idempotency-key": key }), 400, "invalid_idempotency_key");
        }
      },
    },
    {
      section: "4.1",
      row: "a key of 255 characters",
      run: async () => {
        const { status } = await file({ title }, { "idempotency-key": randomUUID().padEnd(255, "x") });
        expect(status === 201, `expected 201, got ${status}`);
      },
    },
  ];
}

function reportRows({ ingest, key }: Subject): Check[] {
  type Part = { name: string; bytes: string | Uint8Array<ArrayBuffer>; type?: string };
  const send = (parts: Part[], authorization = `Bearer ${key}`) => {
    const form = new FormData();
    for (const { name, bytes, type = "application/octet-stream" } of parts)
      form.append(name, new Blob([bytes], { type }), name);
    return ask(`${ingest}/api/ingest`, { method: "POST", headers: { authorization }, body: form });
  };
  const envelope = (fields: object = {}): Part => ({
    name: "envelope",
    bytes: JSON.stringify({ reportId: randomUUID(), ...fields }),
    type: "application/json",
  });
  const log: Part = { name: "log", bytes: "aaa" };
  const declared = {
    partName: "log",
    sha256: createHash("sha256").update("aaa").digest("hex"),
    byteLength: 3,
  };
  const refuses = (row: string, status: number, code: string, parts: () => Part[]): Check => ({
    section: "7.2",
    row,
    run: async () => isRefused(await send(parts()), status, code),
  });
  const isReceived = ({ status, body, text }: Seen, idempotent: boolean) =>
    expect(
      status === 200 &&
        typeof body.status === "string" &&
        typeof body.eventId === "string" &&
        typeof body.deliveryCount === "number" &&
        body.idempotent === idempotent,
      `got ${status} ${text.slice(0, 200)}`,
    );
  return [
    {
      section: "2.5",
      row: "a report with an attachment is received, and a second time answered with the same event",
      run: async () => {
        const parts = [envelope({ attachments: [declared] }), log];
        const first = await send(parts);
        isReceived(first, false);
        const second = await send(parts);
        isReceived(second, true);
        expect(second.body.eventId === first.body.eventId, "another eventId");
      },
    },
    {
      section: "4.2",
      row: "an envelope may be gzipped: by its content type, or by its first bytes",
      run: async () => {
        for (const type of ["application/gzip", "application/json+gzip", "application/json"]) {
          const { name, bytes } = envelope();
          isReceived(await send([{ name, bytes: new Uint8Array(gzipSync(bytes)), type }]), false);
        }
      },
    },
    {
      section: "7.2",
      row: "a missing or invalid key",
      run: async () => {
        for (const authorization of ["", "Bearer nonsense"]) {
          isRefused(await send([envelope()], authorization), 401, "invalid_sdk_key");
        }
      },
    },
    refuses("no parts", 400, "no_parts", () => []),
    refuses("no envelope", 400, "envelope_part_missing", () => [log]),
    refuses("an envelope that is no JSON", 400, "envelope_invalid_json", () => [{ name: "envelope", bytes: "{" }]),
    refuses("an envelope that cannot be gunzipped", 400, "envelope_invalid_json", () => [
      { name: "envelope", bytes: "{}", type: "application/gzip" },
    ]),
    {
      section: "7.2",
      row: "an unknown top-level key, with details",
      run: async () => {
        const refused = await send([envelope({ unknown: 1 })]);
        isRefused(refused, 400, "schema_validation_failed");
        expect(Array.isArray(refused.body.details), "without details");
      },
    },
    refuses("an envelope above 5 MB after decompression, with 400", 400, "envelope_too_large", () => {
      const { name, bytes } = envelope({ message: "x".repeat(5_000_001) });
      return [{ name, bytes: new Uint8Array(gzipSync(bytes)), type: "application/gzip" }];
    }),
    refuses("a declared part that was not sent", 400, "attachment_missing", () => [
      envelope({ attachments: [declared] }),
    ]),
    refuses("a part that is not declared", 400, "attachment_unexpected", () => [envelope(), log]),
    refuses("a part of another length", 400, "bytelength_mismatch", () => [
      envelope({ attachments: [{ ...declared, byteLength: 4 }] }),
      log,
    ]),
    refuses("a part of another hash", 400, "attachment_sha256_mismatch", () => [
      envelope({ attachments: [{ ...declared, sha256: "0".repeat(64) }] }),
      log,
    ]),
    {
      section: "2.4",
      row: "what was refused is not stored: the same reportId is received afterwards",
      run: async () => {
        const reportId = randomUUID();
        isRefused(await send([envelope({ reportId, attachments: [declared] })]), 400, "attachment_missing");
        isReceived(await send([envelope({ reportId, attachments: [declared] }), log]), false);
      },
    },
    {
      section: "4.3",
      row: "GET /api/config answers the key",
      run: async () => {
        const { status, body } = await ask(`${ingest}/api/config`, { headers: { authorization: `Bearer ${key}` } });
        expect(status === 200 && Object.keys(body).length > 0, `got ${status}`);
      },
    },
  ];
}
