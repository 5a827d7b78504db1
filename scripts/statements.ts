import { glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { searchPathOf } from "../apps/server/src/platform/database/schema.ts";
import {
  type Columns,
  namedStatements,
  type Statement,
  typeOf,
} from "../apps/server/src/platform/database/statements.ts";
import { readCatalogue, refusedOf, understand } from "./distributable.ts";

const source = fileURLToPath(new URL("../apps/server/src/", import.meta.url));
const declares = /\b(?:prepared|batched)Statement\(/;

/** All named statements of the server's modules. Throws if two have the same name. */
async function declaredStatements(): Promise<readonly Statement[]> {
  for await (const file of glob(`${source}**/*.ts`)) {
    if (!file.endsWith(".test.ts") && declares.test(await readFile(file, "utf8"))) await import(file);
  }
  return namedStatements();
}

/**
 * The files of all named statements by name. Throws if PostgreSQL's description of a statement differs from its
 * declaration, or a distributed PostgreSQL would refuse it.
 */
export async function checkedStatements(address: pg.ClientConfig): Promise<ReadonlyMap<string, string>> {
  const statements = await declaredStatements();
  const client = new pg.Client(address);
  await client.connect();
  await client.query(`set search_path = ${searchPathOf()}`);
  try {
    const problems: string[] = [];
    for (const statement of statements) problems.push(...(await problemsOf(client, statement)));
    if (problems.length === 0) {
      const catalogue = await readCatalogue(client);
      for (const statement of statements) {
        const refused = refusedOf(await understand(client, statement), catalogue);
        problems.push(...refused.map((what) => `${statement.name} ${what}`));
      }
    }
    if (problems.length > 0) throw new Error(problems.join("\n"));
  } finally {
    await client.end();
  }
  return new Map(statements.map((statement) => [`${statement.name}.sql`, documentStatement(statement)]));
}

/** PostgreSQL's description of a statement. */
type Described = { parameters: string[]; row: { name: string; type: string }[] };

/**
 * Prepares a statement without running it, and returns the differences between its declaration and PostgreSQL's
 * description. `client` is connected to a migrated database.
 */
export async function problemsOf(client: pg.Client, statement: Statement): Promise<string[]> {
  let described: Described;
  try {
    described = await describe(client, statement);
  } catch (error) {
    return [`${statement.name}: ${(error as Error).message}`];
  }
  const problem = (what: string) => `${statement.name} ${what}`;
  const [named] = /\b(?:public|graphile_worker)\.\w+/.exec(statement.text) ?? [];
  const parameters = await canonical(client, Object.values(statement.parameters));
  const declared = Object.keys(statement.row);
  const returned = described.row.map(({ name }) => name);
  const types = await canonical(client, Object.values(statement.row));
  const typeDeclared = new Map(declared.map((name, index) => [name, types[index]]));
  return [
    ...(named ? [problem(`names the schema of ${named}, where a cell may have another`)] : []),
    ...(parameters.join() === described.parameters.join()
      ? []
      : [problem(`declares the parameters ${parameters.join(", ")}, and takes ${described.parameters.join(", ")}`)]),
    ...declared
      .filter((name) => /[A-Z]/.test(name))
      .map((name) => problem(`returns ${name}, which is not in snake_case`)),
    ...declared.filter((name) => !returned.includes(name)).map((name) => problem(`declares ${name}, and returns none`)),
    ...returned
      .filter((name, index) => returned.indexOf(name) !== index)
      .map((name) => problem(`returns ${name} more than once`)),
    ...described.row.flatMap(({ name, type }) => {
      const wanted = typeDeclared.get(name);
      if (wanted === undefined) return [problem(`returns ${name}, and does not declare it`)];
      return wanted === type ? [] : [problem(`declares ${name} as ${wanted}, and returns ${type}`)];
    }),
  ];
}

/** The file of a statement in docs/statements: its parameters, columns and SQL. */
function documentStatement({ name, text, parameters, requests, row }: Statement): string {
  const head = [
    ...Object.entries(parameters).map(
      ([parameter, type], index) => `-- $${index + 1} ${parameter} ${typeOf(type)}${isNullable(type)}`,
    ),
    ...(requests ? [`-- each request: ${listed(requests)}`] : []),
    `-- returns ${Object.keys(row).length > 0 ? listed(row) : "nothing"}`,
  ];
  return `-- ${name}: written by npm run generate.\n${head.map((line) => wrapped(line)).join("\n")}\n\n${text.trim()};\n`;
}

const isNullable = (type: string) => (type.endsWith("?") ? " or null" : "");
const listed = (columns: Columns) =>
  Object.entries<string>(columns)
    .map(([name, type]) => `${name} ${typeOf(type)}${isNullable(type)}`)
    .join(", ");

/** Wraps a comment at commas to lines of at most 120 characters. */
function wrapped(comment: string): string {
  const lines = [""];
  for (const word of comment.split(/(?<=,) /)) {
    const line = lines.at(-1) ?? "";
    if (line.length + word.length < 119) lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
    else lines.push(`--   ${word}`);
  }
  return lines.join("\n");
}

/** Converts type names to PostgreSQL's canonical names. */
async function canonical(client: pg.Client, types: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ type: string | null }>(
    "select format_type(to_regtype(name), null) as type from unnest($1::text[]) with ordinality given(name, place) order by place",
    [types.map(typeOf)],
  );
  return rows.map(({ type }, index) => type ?? `an unknown type ${types[index]}`);
}

/** The internal interface of pg for describing a statement. */
type Connection = {
  parse: (statement: { name: string; text: string }) => void;
  describe: (what: { type: "S"; name: string }) => void;
  sync: () => void;
};
type Field = { name: string; dataTypeID: number };

/** Describes a statement without running it: pg itself only describes the results of statements that it runs. */
async function describe(client: pg.Client, { name, text }: Statement): Promise<Described> {
  const fields = await new Promise<Field[]>((resolve, reject) => {
    let found: Field[] = [];
    client.query({
      submit: (connection: Connection) => {
        connection.parse({ name, text });
        connection.describe({ type: "S", name });
        connection.sync();
      },
      handleRowDescription: (message: { fields: Field[] }) => {
        found = message.fields;
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(found),
    } as unknown as pg.Submittable);
  });
  const { rows: prepared } = await client.query<{ parameters: string[] }>(
    `select array(select format_type(type, null) from unnest(parameter_types) with ordinality given(type, place)
      order by place) as parameters
    from pg_prepared_statements where name = $1`,
    [name],
  );
  const { rows: types } = await client.query<{ type: string }>(
    "select format_type(id, null) as type from unnest($1::oid[]) with ordinality given(id, place) order by place",
    [fields.map(({ dataTypeID }) => dataTypeID)],
  );
  return {
    parameters: prepared[0]?.parameters ?? [],
    row: fields.map((field, index) => ({ name: field.name, type: types[index]?.type ?? "" })),
  };
}
