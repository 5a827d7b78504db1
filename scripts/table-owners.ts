import { glob, readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../apps/server/src/", import.meta.url));
const writes =
  /\b(?:insertInto|updateTable|deleteFrom|mergeInto)\("(\w+)"|\b(?:insert into|update|delete from|merge into|truncate)\s+(\w+)/g;

/** Writes to a table outside the room whose `table.ts` lists it, as `file:line` with the table and its owner. */
export async function strangeWrites(): Promise<string[]> {
  const ownerOf = new Map<string, string>();
  for await (const file of glob(`${source}*/table.ts`)) {
    const { tables } = (await import(file)) as { tables: readonly string[] };
    for (const table of tables) ownerOf.set(table, basename(dirname(file)));
  }
  const found: string[] = [];
  const generated = await readFile(`${source}platform/database/database.generated.ts`, "utf8");
  for (const [, table = ""] of (/export interface DB \{([^}]*)\}/.exec(generated)?.[1] ?? "").matchAll(
    /^ {2}(\w+):/gm,
  )) {
    if (!ownerOf.has(table)) found.push(`the table ${table} is in no room's table.ts`);
  }
  for await (const file of glob(`${source}**/*.ts`)) {
    const room = file.slice(source.length).split("/", 1)[0];
    if (file.endsWith(".test.ts") || room === "testing") continue; // tests prepare what they look at
    for (const [index, line] of (await readFile(file, "utf8")).split("\n").entries()) {
      for (const [, built, plain] of line.matchAll(writes)) {
        const table = built ?? plain ?? "";
        const owner = ownerOf.get(table);
        if (owner && owner !== room)
          found.push(`${file.slice(source.length)}:${index + 1} writes ${table} of ${owner}/`);
      }
    }
  }
  return found;
}
