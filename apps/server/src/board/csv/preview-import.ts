import type { CsvChoices, ImportPreview } from "@lodge/contract/dashboard/imports";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { requireBoard } from "../boards/require-board.ts";
import { planImport } from "./plan-import.ts";
import { readCsv } from "./read-csv.ts";
import { receiveCsv } from "./receive-csv.ts";

const sampleRows = 3;
const sampleLengthMax = 80;

/**
 * Says what an import of a file would do, and changes nothing. Throws the errors of `planImport`, `readCsv` and
 * `receiveCsv`.
 */
export async function previewImport(
  deps: Deps,
  actor: Actor,
  boardId: string,
  choices: CsvChoices,
  body: Buffer,
): Promise<ImportPreview> {
  await requireBoard(deps.db, actor.organisationId, boardId);
  return receiveCsv(deps, actor, body, async () => {
    const file = await readCsv(body);
    const {
      fields,
      tickets,
      labelsToMake: _,
      ...found
    } = await planImport(deps, actor.organisationId, boardId, file, choices);
    return {
      rowCount: tickets.length,
      columns: file.header.map((header, index) => ({
        header,
        field: fields[index] ?? null,
        samples: file.rows
          .slice(0, sampleRows)
          .map(({ cells }) => (cells[index] ?? "").slice(0, sampleLengthMax).toWellFormed()),
      })),
      ...found,
    };
  });
}
