import type pg from "pg";
import { inStatementSpan } from "../observe/tracing.ts";

/** The TypeScript types of PostgreSQL's types, as parameters and as results. */
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

/** A type of PostgreSQL, followed by `?` if it is nullable, or a type from `narrowed`. */
type Type = keyof Values | `${keyof Values}?` | Narrowed<unknown>;

/** Names and types of a statement's parameters, or of the columns that it returns. */
export type Columns = Readonly<Record<string, Type>>;

/** The type of a column for which TypeScript has a narrower type than PostgreSQL. */
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

/** Converts the snake_case columns of a row to camelCase. */
export const inCamelCase = <Row extends object>(row: Row) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  ) as { [Name in keyof Row as CamelCase<Name>]: Row[Name] };

/** The parameters of a statement. Nullable ones may be undefined. */
type AskingOf<Declared extends Columns> = {
  [Name in keyof Declared]: ValueOf<Declared[Name], null | undefined>;
};

/** The same in JSON, where bytes are PostgreSQL's hexadecimal text. */
export type JsonOf<Declared extends Columns> = {
  [Name in keyof Declared]: Declared[Name] extends "bytea"
    ? `\\x${string}`
    : Declared[Name] extends "bytea?"
      ? `\\x${string}` | null | undefined
      : ValueOf<Declared[Name], null | undefined>;
};

/** A named statement as sent to the database. `requests` are the columns that a batch reads from JSON. */
export type Statement = { name: string; text: string; parameters: Columns; requests?: Columns; row: Columns };

const statements = new Map<string, Statement>();

/** All statements of the imported modules. */
export const namedStatements = (): readonly Statement[] => [...statements.values()];

/** Registers a statement for `npm run generate`. Throws if its name is taken: PostgreSQL would run the other one. */
export function declareStatement(statement: Statement): void {
  if (statements.has(statement.name)) throw new Error(`there are two statements named ${statement.name}`);
  statements.set(statement.name, statement);
}

/** The type of a column without its nullability. */
export const typeOf = (declared: string): string => declared.replace("?", "");

/**
 * A statement that each connection parses and plans once. Its parameters and columns are only declared here, and
 * `npm run generate` checks them against a PostgreSQL. `text` receives each parameter as SQL.
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
