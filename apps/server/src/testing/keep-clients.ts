import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { encodeForm, envelopePart, formBoundary } from "./encode-form.ts";
import { retry } from "./retry.ts";
import type { Answer, Service } from "./start-service.ts";
import { until } from "./until.ts";

const clients = 4;

/**
 * Clients of both APIs that file tickets and submit reports until they are stopped, and retry as the interface says:
 * with the same key and reportId until there is a response. The ticket's title and the report have the same id.
 */
export function keepClients(lodge: Service, token: string | null | undefined, key: string) {
  const answered: string[] = [];
  let refused = 0;
  let working = true;
  const ask = async (status: number, send: () => Promise<Answer>) => {
    const answer = await retry(send, () => refused++);
    assert.equal(answer.status, status, answer.text);
  };
  const work = async () => {
    while (working) {
      const id = randomUUID();
      await ask(201, () => lodge.fileTicket(token, { title: id }, { "idempotency-key": id }));
      const headers = {
        authorization: `Bearer ${key}`,
        "content-type": `multipart/form-data; boundary="${formBoundary}"`,
      };
      const body = encodeForm([envelopePart({ reportId: id })]);
      await ask(200, () => lodge.request("POST", "/api/ingest", { headers, body }));
      answered.push(id);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, work));
  all.catch(() => {}); // the caller of `stop` gets the error
  const rises = async (count: () => number, by: number) => {
    const before = count();
    await Promise.race([until(() => count() > before + by), all]);
  };
  return {
    /** Resolves when more than `count` further requests of each kind have been answered. */
    goesOn: (count = 2 * clients) => rises(() => answered.length, count),
    /** Resolves when a further request is refused. */
    isRefused: () => rises(() => refused, 0),
    /** Stops, and returns the sorted ids of all answered requests. */
    stop: async () => {
      working = false;
      await all;
      return answered.sort();
    },
  };
}
