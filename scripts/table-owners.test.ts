import assert from "node:assert/strict";
import { test } from "node:test";
import { strangeWrites } from "./table-owners.ts";

const ownerOf = new Map([
  ["tickets", "board/tickets"],
  ["activities", "board/tickets"],
  ["runs", "board/agents"],
  ["active_installs", "people/installs"],
  ["install_counts", "people/installs"],
]);
const unreadable = "writes a table whose name the source does not tell";
const inBoards = (text: string) => strangeWrites("board/boards/view.ts", text, ownerOf).map((found) => found.slice(20));

test("a write to another module's table is found in any notation", () => {
  for (const text of [
    'tx.insertInto("tickets").values(ticket);',
    'tx.updateTable("tickets as t").set(row);',
    "tx.deleteFrom(`tickets`);",
    "sql`insert into tickets (id) values (1)`;",
    "sql`INSERT INTO only tickets`;",
    'sql`delete from "tickets"`;',
    "sql`update public.tickets set title = ''`;",
    'pool.query("truncate runs_of_mine, tickets");',
    'pool.query("insert into\\n tickets");',
    "sql`with moved as (update tickets set title = '') select`;",
    'const table = "tickets"; sql`update ${sql.table(table)} set title = 1`;',
    'const table = "tickets"; sql`update ${ table } set title = 1`;',
    'const table = odd ? "tickets" : "views"; tx.insertInto(table);',
    'renumber(tx, "tickets", ids);',
    'for (const table of ["views", "tickets"] as const) tx.deleteFrom(table);',
    'function move(tx: Tx, table: "views" | "tickets") { return sql`update ${sql.table(table)} as moved`; }',
    'type Table = "views" | "tickets"; const move = (table: Table) => tx.updateTable(table);',
  ]) {
    assert.deepEqual(inBoards(text), [":1 writes tickets of board/tickets/"], text);
    assert.deepEqual(strangeWrites("board/tickets/move.ts", text, ownerOf), [], text);
  }
});

test("a statement over several lines is reported with the line of its table", () => {
  assert.deepEqual(inBoards("sql`\n  insert into\n    tickets (id)\n  values (${id})`;"), [
    ":3 writes tickets of board/tickets/",
  ]);
  assert.deepEqual(inBoards("sql`${head}\n${[1, 2].map((n) => `${n}`)}\nupdate\n${sql.table('runs')}`;"), [
    ":4 writes runs of board/agents/",
  ]);
});

test("a composed table name belongs to the module that owns all possible tables", () => {
  const text = "const table = sql.table(`active_installs_${slot}`); sql`truncate ${table}`;";
  assert.deepEqual(strangeWrites("people/installs/close.ts", text, ownerOf), []);
  assert.deepEqual(inBoards(text), [":1 writes active_installs_% of people/installs/"]);
  assert.deepEqual(inBoards("sql`update install_${what} set slot = 1`;"), [":1 writes install_% of people/installs/"]);
  assert.deepEqual(inBoards("sql`truncate active_installs_0`;"), [":1 writes active_installs_0 of people/installs/"]);
});

test("an unknown table name is refused outside the platform", () => {
  for (const text of [
    "const write = (table: string) => tx.insertInto(table);",
    "sql`update ${tableOf(kind)} set title = ''`;",
    "sql`insert into ${sql.table(tables[kind])}`;",
    'let table = "boards"; tx.deleteFrom(table);',
    'import { table } from "./names.ts"; tx.deleteFrom(table);',
    "sql`delete from unheard_of_${slot}`;",
    'renumber(tx, kind === "board" ? "boards" : tableOf(kind), ids);',
    'pool.query("delete from " + table);',
  ]) {
    assert.deepEqual(inBoards(text), [`:1 ${unreadable}`], text);
  }
});

test("the platform may write tables given as arguments, but not a module's table by name", () => {
  const inPlatform = (text: string) => strangeWrites("platform/write.ts", text, ownerOf);
  assert.deepEqual(inPlatform("const write = (tx: Tx, table: Table) => tx.insertInto(table);"), []);
  assert.deepEqual(
    inPlatform('const f = (table: "tickets" | "runs") => sql`update ${sql.table(table)} set n = 1`;'),
    [],
  );
  assert.deepEqual(inPlatform("sql`update tickets set n = 1`;"), [
    "platform/write.ts:1 writes tickets of board/tickets/",
  ]);
});

test("reads, locks, comments and prose are not writes", () => {
  for (const text of [
    "sql`select id from tickets for update of tickets`;",
    "sql`select id from tickets for no key update ${ofTickets}`;",
    "sql`on conflict (id) do update set title = ''`;",
    "sql`select from ${sql.table(table)}`;",
    "// insert into tickets\ntx.selectFrom(table);",
    'throw new Error("update what differs");',
  ]) {
    assert.deepEqual(inBoards(text), [], text);
  }
});
