import { gzipSync } from "node:zlib";
import type { ErrorCode } from "@lodge/contract/errors";
import { type Check, expect, expectRefusal } from "./row.ts";
import { declaredLog, log, makeEnvelope, type Part, reportSender, sendZeros } from "./send-report.ts";
import type { Subject } from "./subject.ts";

const requestBytesMax = 25_000_000;
const attachmentBytesMax = 26_214_400;

/** The rows on refused reports (section 7.2). */
export const refusedReportRows = (subject: Subject): Check[] => [
  invalidKeyRow(subject),
  ...invalidPartRows(subject),
  unknownKeyRow(subject),
  ...tooLargeRows(subject),
];

const invalidKeyRow = (subject: Subject): Check => ({
  section: "7.2",
  row: "a missing or invalid SDK key",
  run: async () => {
    for (const authorization of ["", "Bearer nonsense"]) {
      const refused = await reportSender(subject, subject.key)([makeEnvelope()], authorization);
      expectRefusal(refused, 401, "invalid_sdk_key");
    }
  },
});

function invalidPartRows(subject: Subject): Check[] {
  const refuses = (row: string, code: ErrorCode, parts: () => Part[]): Check => ({
    section: "7.2",
    row,
    run: async () => expectRefusal(await reportSender(subject, subject.key)(parts()), 400, code),
  });
  return [
    refuses("no parts", "no_parts", () => []),
    refuses("no envelope", "envelope_part_missing", () => [log]),
    refuses("an envelope that is not JSON", "envelope_invalid_json", () => [{ name: "envelope", bytes: "{" }]),
    refuses("an envelope that cannot be gunzipped", "envelope_invalid_json", () => [
      { name: "envelope", bytes: "{}", type: "application/gzip" },
    ]),
    refuses("an envelope above 5 MB after decompression, with 400", "envelope_too_large", () => {
      const { name, bytes } = makeEnvelope({ message: "x".repeat(5_000_001) });
      return [{ name, bytes: new Uint8Array(gzipSync(bytes)), type: "application/gzip" }];
    }),
    refuses("a declared part that is missing", "attachment_missing", () => [
      makeEnvelope({ attachments: [declaredLog] }),
    ]),
    refuses("a part that is not declared", "attachment_unexpected", () => [makeEnvelope(), log]),
    refuses("a part of another length", "bytelength_mismatch", () => [
      makeEnvelope({ attachments: [{ ...declaredLog, byteLength: 4 }] }),
      log,
    ]),
    refuses("a part with another hash", "attachment_sha256_mismatch", () => [
      makeEnvelope({ attachments: [{ ...declaredLog, sha256: "0".repeat(64) }] }),
      log,
    ]),
  ];
}

const unknownKeyRow = (subject: Subject): Check => ({
  section: "7.2",
  row: "an unknown top-level key, with details",
  run: async () => {
    const refused = await reportSender(subject, subject.key)([makeEnvelope({ unknown: 1 })]);
    expectRefusal(refused, 400, "schema_validation_failed");
    expect(Array.isArray(refused.body.details), "without details");
  },
});

const tooLargeRows = (subject: Subject): Check[] => [
  {
    section: "7.2",
    row: "one attachment above 25 MiB, with 413",
    run: async () => {
      const { status, body, text } = await sendZeros(subject, [attachmentBytesMax + 1]);
      // The whole request is too large as well.
      const codes = ["attachment_too_large", "payload_too_large"];
      expect(status === 413 && codes.includes(`${body.error}`), `got ${status} ${text.slice(0, 200)}`);
    },
  },
  {
    section: "7.2",
    row: "a whole request above 25 MB, with 413",
    run: async () => {
      const half = requestBytesMax / 2 + 1;
      expectRefusal(await sendZeros(subject, [half, half]), 413, "payload_too_large");
    },
  },
];
