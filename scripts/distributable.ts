import type pg from "pg";
import type { Statement } from "../apps/server/src/platform/database/statements.ts";
import { typeOf } from "../apps/server/src/platform/database/statements.ts";
import { everyNode, isNode, nodesOf, readNodeTree, type Tree, type TreeNode } from "./node-tree.ts";

/** The parts of PostgreSQL's catalogue that the checks need. */
export type Catalogue = {
  /** The time functions whose result depends on the session, and the reason: they are not immutable. */
  sessionTimes: ReadonlyMap<string, string>;
  /** The distribution keys of each table: its name, and the columns with the owner of a row, the narrower one first. */
  tables: ReadonlyMap<string, { name: string; keys: { name: string; place: string }[] }>;
};

/** Reads the catalogue for `refusedOf`. `client` is connected to a migrated database. */
export async function readCatalogue(client: pg.Client): Promise<Catalogue> {
  const times = "'{date,time,timetz,timestamp,timestamptz,interval}'::regtype[]";
  const { rows: functions } = await client.query<{ oid: string; name: string }>(
    `select oid::text, oid::regprocedure::text as name from pg_proc
    where provolatile <> 'i' and (prorettype = any(${times}) or proargtypes::regtype[] && ${times})`,
  );
  const { rows: tables } = await client.query<{ oid: string; name: string; keys: { name: string; place: string }[] }>(
    `select pg_class.oid::text, relname as name, coalesce(json_agg(json_build_object('name', key.name, 'place', attnum::text)
      order by key.rank) filter (where attnum is not null), '[]') as keys
    from pg_class
    left join (values ('app_id', 1), ('organisation_id', 2)) key (name, rank) on true
    left join pg_attribute on attrelid = pg_class.oid and not attisdropped and attname = case
      when key.name = 'app_id' and relname = 'apps' or key.name = 'organisation_id' and relname = 'organisations' then 'id'
      else key.name end
    where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
    group by pg_class.oid, relname`,
  );
  return {
    sessionTimes: new Map(functions.map(({ oid, name }) => [oid, name])),
    tables: new Map(tables.map(({ oid, name, keys }) => [oid, { name, keys }])),
  };
}

/**
 * PostgreSQL's parse tree of a statement, with types and the function of each operator. Creates a temporary function
 * with the statement as its body.
 */
export async function understand(client: pg.Client, { name, text, parameters }: Statement): Promise<Tree> {
  const types = Object.values(parameters).map(typeOf).join(", ");
  await client.query("begin");
  try {
    await client.query(`create function "${name}"(${types}) returns void language sql begin atomic ${text}; end`);
    const { rows } = await client.query<{ tree: string }>(
      "select prosqlbody::text as tree from pg_proc where proname = $1 and pronamespace = current_schema()::regnamespace",
      [name],
    );
    return readNodeTree(rows[0]?.tree ?? "");
  } finally {
    await client.query("rollback");
  }
}

const commandInsert = "3";
const relation = "0";
const join = "2";
const values = "5";

/** Why a distributed PostgreSQL refuses a statement that a single server runs (docs/decisions/cells.md). */
export function refusedOf(statement: Tree, catalogue: Catalogue): string[] {
  const queries = [...everyNode(statement)].filter(({ kind }) => kind === "QUERY");
  const found = queries.flatMap((query) => {
    const conflict = [query.fields.get("onConflict")].filter(isNode);
    const set = conflict.map(({ fields }) => [fields.get("onConflictSet"), fields.get("onConflictWhere")] as Tree);
    return [
      ...(has(set, "SUBLINK") ? ["has a subquery in DO UPDATE"] : []),
      ...(has(valuesOf(query), "SUBLINK") ? ["has a subquery in VALUES"] : []),
      ...timesIn(set, catalogue).map((by) => `computes a time in DO UPDATE, by ${by}`),
      ...strangersIn(query, catalogue),
    ];
  });
  const timed = [...everyNode(statement)].flatMap((node) => {
    const place = { CASEEXPR: "CASE", COALESCEEXPR: "COALESCE" }[node.kind];
    return place ? timesIn(node, catalogue).map((by) => `computes a time in ${place}, by ${by}`) : [];
  });
  return [...new Set([...found, ...timed])];
}

const has = (tree: Tree, kind: string) => everyNode(tree).some((node) => node.kind === kind);

/** The VALUES of an INSERT: a single row of it is its list of targets. */
function valuesOf({ fields }: TreeNode): Tree {
  const listed = nodesOf(fields.get("rtable")).flatMap((entry) =>
    entry.fields.get("rtekind") === values ? nodesOf(entry.fields.get("values_lists")) : [],
  );
  const from = [fields.get("jointree")].filter(isNode).flatMap((tree) => nodesOf(tree.fields.get("fromlist")));
  const isSingle = fields.get("commandType") === commandInsert && from.length === 0;
  return isSingle ? [...listed, ...nodesOf(fields.get("targetList"))] : listed;
}

/** The time functions in a tree whose result depends on the session's time zone or the current time. */
function timesIn(tree: Tree, { sessionTimes }: Catalogue): string[] {
  return [...everyNode(tree)].flatMap(({ kind, fields }) => {
    if (kind === "SQLVALUEFUNCTION") return ["the time of the session"];
    const id = fields.get("opfuncid") ?? fields.get("funcid");
    return typeof id === "string" ? (sessionTimes.get(id) ?? []) : [];
  });
}

/**
 * The tables of one FROM that share a distribution key but are not joined by it, so that every node would be searched
 * for the rows of one organisation. Only looks at one query level, and only at equations.
 */
function strangersIn({ fields }: TreeNode, { tables }: Catalogue): string[] {
  const entries = nodesOf(fields.get("rtable"));
  const read = new Set(
    [...everyNode(fields.get("jointree"), ({ kind }) => kind !== "QUERY")]
      .filter(({ kind }) => kind === "RANGETBLREF")
      .map((reference) => Number(reference.fields.get("rtindex"))),
  );
  const named = entries.flatMap(({ fields: entry }, index) => {
    const table = tables.get(`${entry.get("relid")}`);
    return entry.get("rtekind") === relation && read.has(index + 1) && table
      ? [{ place: `${index + 1}`, ...table }]
      : [];
  });
  if (named.length < 2) return [];

  const same = new Map<string, string>();
  const find = (one: string): string => {
    const parent = same.get(one);
    return parent === undefined ? one : find(parent);
  };
  const unite = (one: string, other: string) => {
    const [a, b] = [find(one), find(other)];
    if (a !== b) same.set(a, b);
  };
  const nameOf = (tree: Tree | undefined): string | undefined => {
    if (!isNode(tree)) return undefined;
    const field = (name: string) => tree.fields.get(name) as string;
    if (tree.kind === "PARAM") return `$${field("paramid")}`;
    if (tree.kind !== "VAR") return undefined;
    const entry = field("varlevelsup") === "0" ? entries[Number(field("varno")) - 1] : undefined;
    if (entry?.fields.get("rtekind") === join) {
      return nameOf(nodesOf(entry.fields.get("joinaliasvars"))[Number(field("varattno")) - 1]);
    }
    return `${field("varlevelsup")}.${field("varno")}.${field("varattno")}`;
  };
  for (const { kind, fields: operation } of everyNode(fields.get("jointree"), ({ kind }) => kind !== "SUBLINK")) {
    const operands = nodesOf(operation.get("args"));
    if (kind !== "OPEXPR" || operands.length !== 2) continue;
    const [one, other] = operands.map(nameOf);
    if (one !== undefined && other !== undefined) unite(one, other);
  }
  return named.flatMap((one, index) =>
    named.slice(index + 1).flatMap((other) => {
      const key = one.keys.find(({ name }) => other.keys.some((its) => its.name === name));
      const its = other.keys.find(({ name }) => name === key?.name);
      if (!key || !its || find(`0.${one.place}.${key.place}`) === find(`0.${other.place}.${its.place}`)) return [];
      return [`joins ${one.name} and ${other.name} without ${key.name}`];
    }),
  );
}
