import pg from "pg";
import { requestSeconds } from "../apps/server/src/platform/observe/metrics.ts";

// Import this before the server to remove one layer from the filing of tickets, so that the benchmark can measure its
// cost.
const layer = process.env.BENCH_WITHOUT;
const statement = "authenticate_token";

if (layer === "metrics") requestSeconds.observe = () => {};
if (layer === "limit") rewriteStatement();
if (layer === "authentication") rememberTokens();

type Asked = { name?: string; text: string; values: [string] };
type Query = (asked: Asked) => Promise<{ rows: object[] }>;

function replaceQuery(make: (query: Query) => Query) {
  const pool = pg.Pool.prototype as unknown as { query: Query };
  const original = pool.query;
  pool.query = function query(this: pg.Pool, ...asked: [Asked]) {
    if (asked[0]?.name !== statement) return Reflect.apply(original, this, asked);
    return make((changed) => Reflect.apply(original, this, [changed]))(asked[0]);
  };
}

/** Finds tokens and their keys as usual, but counts no requests. */
function rewriteStatement() {
  const counting = /\), hit as \([\s\S]*?\n {2}\), used as \(/;
  const counted = `), hit as (select 'token:' || id as bucket, 1000 as granted, 0::bigint as oldest_at_ms from token group by id
  ), used as (`;
  replaceQuery((query) => (asked) => {
    const text = asked.text.replace(counting, counted);
    if (text === asked.text)
      throw new Error("the statement that authenticates tokens has changed: update bench/without.ts");
    return query({ ...asked, text });
  });
}

/** Reads each token once, and then serves it from memory. */
function rememberTokens() {
  const known = new Map<string, object>();
  replaceQuery((query) => async (asked) => {
    const requests = JSON.parse(asked.values[0]) as { n: number; secret_sha256: string }[];
    if (!requests.every(({ secret_sha256 }) => known.has(secret_sha256))) {
      const { rows } = await query(asked);
      for (const row of rows as { n: number }[]) {
        const request = requests.find(({ n }) => n === row.n);
        if (request) known.set(request.secret_sha256, row);
      }
      return { rows };
    }
    return { rows: requests.map(({ n, secret_sha256 }) => ({ ...known.get(secret_sha256), n })) };
  });
}
