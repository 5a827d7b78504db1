import type { Operation } from "@lodge/contract/operation";

type CodeSample = { lang: string; label: string; source: string };

const bearer = (variable: string) => `-H "Authorization: Bearer $${variable}"`;
const curl = (source: string): CodeSample => ({ lang: "shell", label: "curl", source });
const command = (source: string): CodeSample => ({ lang: "shell", label: "lodge", source });
const sdk = (source: string): CodeSample => ({
  lang: "javascript",
  label: "@lodge/sdk",
  source: `import { createLodge } from "@lodge/sdk";

const { LODGE_URL: ingestUrl, LODGE_KEY: key } = process.env; // in a page: as they are
const lodge = createLodge({ ingestUrl, key });
${source}
await lodge.close();`,
});

/**
 * Samples of operations, by operation id, with `LODGE_URL` and `LODGE_TOKEN` or `LODGE_KEY` in the environment. Tests
 * run them.
 */
const codeSamples: Record<string, readonly CodeSample[]> = {
  fileTicket: [
    curl(`curl "$LODGE_URL/api/v1/tickets" \\
  ${bearer("LODGE_TOKEN")} \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: nightly-build-918" \\
  -d '{"title": "Nightly build is red", "priority": "high"}'`),
    command(`lodge ticket create --title "Nightly build is red" --priority high --key nightly-build-919`),
  ],
  readTicket: [curl(`curl "$LODGE_URL/api/v1/tickets/$TICKET" ${bearer("LODGE_TOKEN")}`)],
  listReach: [curl(`curl "$LODGE_URL/api/v1/projects" ${bearer("LODGE_TOKEN")}`)],
  listEvents: [curl(`curl "$LODGE_URL/api/v1/events?wait=1" ${bearer("LODGE_TOKEN")}`)],
  showOwnToken: [curl(`curl "$LODGE_URL/api/v1/token" ${bearer("LODGE_TOKEN")}`), command("lodge token check")],
  submitReport: [
    curl(`curl "$LODGE_URL/api/ingest" \\
  ${bearer("LODGE_KEY")} \\
  -F 'envelope={"reportId": "918", "title": "Cart is empty", "kind": "bug"};type=application/json'`),
    sdk(`const { receipt } = await lodge.report({ title: "Cart is empty", kind: "bug" });
console.log(await receipt);`),
    command(`lodge report send --title "Cart is empty" --kind bug --report-id 918`),
  ],
  getClientConfig: [
    curl(`curl "$LODGE_URL/api/config" ${bearer("LODGE_KEY")}`),
    sdk("console.log(await lodge.config());"),
    command("lodge config"),
  ],
};

/** The samples of an operation, in the languages that have one. */
export const codeSamplesOf = (id: Operation["id"]): readonly CodeSample[] => codeSamples[id] ?? [];
