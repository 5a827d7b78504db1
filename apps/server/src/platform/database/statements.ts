import type pg from "pg";
import { inStatementSpan } from "../observe/tracing.ts";

/** The TypeScript types of PostgreSQL's types, as they are sent and as they come back. */
type Values = {
  boolean: boolean;
  integer: number;
  bigint: number;
  uuid: string;
  text: string;
  date: string;
  timestamptz: Date;
  bytea: Buffer;
  json: unknown;
  jsonb: unknown;
  "text[]": string[];
  "uuid[]": string[];
};

declare const value: unique symbol;
type Narrowed<Value> = string & { readonly [value]: Value };

/** A type of PostgreSQL, with a `?` behind it where the value may be null; or one that `narrowed` makes. */
type Type = keyof Values | `${keyof Values}?` | Narrowed<unknown>;

/** Names and types: of what a statement is asked, or of a row that it returns. */
export type Columns = Readonly<Record<string, Type>>;

/** The type of a column of which TypeScript knows more than PostgreSQL does. */
export const narrowed = <Value>(type: keyof Values | `${keyof Values}?`) => type as unknown as Narrowed<Value>;

type ValueOf<Declared, Null> =
  Declared extends Narrowed<infer Value>
    ? Value
    : Declared extends `${infer Name extends keyof Values}?`
      ? Values[Name] | Null
      : Declared extends keyof Values
        ? Values[Declared]
        : never;

/** A row with these columns. */
export type RowOf<Declared extends Columns> = { [Name in keyof Declared]: ValueOf<Declared[Name], null> };

type CamelCase<Name> = Name extends `${infer Head}_${infer Rest}` ? `${Head}${Capitalize<CamelCase<Rest>>}` : Name;

/** A row of a statement, whose columns are in snake_case, with the names that the code uses. */
export const inCamelCase = <Row extends object>(row: Row) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  ) as { [Name in keyof Row as CamelCase<Name>]: Row[Name] };

/** What to ask a statement that declares these: what may be null may be undefined as well. */
type AskingOf<Declared extends Columns> = {
  [Name in keyof Declared]: ValueOf<Declared[Name], null | undefined>;
};

/** The same in JSON, where bytes are hexadecimal text as PostgreSQL reads it. */
export type JsonOf<Declared extends Columns> = {
  [Name in keyof Declared]: Declared[Name] extends "bytea"
    ? `\\x${string}`
    : Declared[Name] extends "bytea?"
      ? `\\x${string}` | null | undefined
      : ValueOf<Declared[Name], null | undefined>;
};

/** A named statement as it reaches the database. `requests` are the columns of what a batch of them reads from JSON. */
export type Statement = { name: string; text: string; parameters: Columns; requests?: Columns; row: Columns };

const statements = new Map<string, Statement>();

/** Every statement of the modules that have been imported, each name once. */
export const namedStatements = (): readonly Statement[] => [...statements.values()];

/** Makes a statement known to `npm run generate`. Throws where its name is taken: PostgreSQL would run the other one. */
export function declareStatement(statement: Statement): void {
  if (statements.has(statement.name)) throw new Error(`there are two statements named ${statement.name}`);
  statements.set(statement.name, statement);
}

/** The type of a column without what is said of null. */
export const typeOf = (declared: string): string => declared.replace("?", "");

/**
 * A statement that each connection parses and plans once. Its parameters and columns are declared here and nowhere
 * else; `npm run generate` asks a PostgreSQL whether it is true. `text` is given each parameter as SQL.
 */
export function preparedStatement<const Asked extends Columns, const Row extends Columns>({
  name,
  parameters,
  row,
  text: compose,
}: {
  name: string;
  parameters: Asked;
  row: Row;
  text: (parameters: { [Name in keyof Asked]: string }) => string;
}) {
  const names = Object.keys(parameters);
  const written = names.map((name, index) => [name, `$${index + 1}::${typeOf(parameters[name] ?? "")}`]);
  const text = compose(Object.fromEntries(written) as { [Name in keyof Asked]: string });
  declareStatement({ name, text, parameters, row });
  return async (pool: pg.Pool | pg.PoolClient, asked: AskingOf<Asked>): Promise<RowOf<Row>[]> =>
    inStatementSpan(
      name,
      async () => (await pool.query<RowOf<Row>>({ name, text, values: names.map((name) => asked[name]) })).rows,
    );
}
