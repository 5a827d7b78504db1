import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "libpg-query";
import { splitStatements } from "./split-statements.ts";

/** The statements of a text according to PostgreSQL's own parser. */
async function parsed(text: string): Promise<string[]> {
  const bytes = Buffer.from(text);
  const { stmts = [] } = await parse(text);
  return stmts.map(({ stmt_location: at = 0, stmt_len: length = bytes.length - at }) =>
    bytes
      .subarray(at, at + length)
      .toString()
      .trim(),
  );
}

const split = (text: string) =>
  splitStatements(text).map((statement) => statement.replace(/^(?:--[^\n]*\n\s*|\/\*[\s\S]*?\*\/\s*)+/, ""));

test("every migration of Lodge and the job queue is split as PostgreSQL's parser does", async () => {
  const ours = fileURLToPath(new URL("../../../migrations", import.meta.url));
  const queue = fileURLToPath(new URL("../sql", import.meta.resolve("graphile-worker")));
  let files = 0;
  for await (const file of glob([`${ours}/*.sql`, `${queue}/*.sql`])) {
    const text = (await readFile(file, "utf8")).replaceAll(":GRAPHILE_WORKER_SCHEMA", "graphile_worker");
    assert.deepEqual(split(text), await parsed(text), file);
    files++;
  }
  assert.ok(files > 40, `${files} files`);
});

test("a semicolon in a string, name, comment or dollar-quoted text does not end a statement", async () => {
  const text = `select ';' as ";", 'it''s;', e'\\';', E'a\\\\' ; -- one; 'two
    /* three; */ select $1, tale'x;', a$b from c; do $$ begin; 'x end $$;
    do $body$ $$ ; $$ $body$ ;; -- nothing;`;
  assert.equal(splitStatements(text).length, 4);
  const understood = text.replace("select $1, tale'x;', a$b from c", "select $1, a$b from c");
  assert.deepEqual(split(understood), await parsed(understood));
});
