import type pg from "pg";
import { unavailable } from "../errors.ts";
import { measureQueue } from "../observe/measure-queue.ts";
import { inStatementSpan } from "../observe/tracing.ts";
import { isOfStatement } from "./database.ts";
import { type Columns, declareStatement, type JsonOf, type RowOf, typeOf } from "./statements.ts";

type Waiting<Request, Row> = {
  request: Request;
  resolve: (row: Row | undefined) => void;
  reject: (error: unknown) => void;
};
type Queue<Request, Row> = {
  waiting: Waiting<Request, Row>[];
  /** `running`: the runs that the next one waits for. `underWay`: all unfinished runs. */
  running: number;
  underWay: number;
  /** Unanswered requests, and their bytes. */
  asked: number;
  bytes: number;
};

const runningMax = 2;
const batchMax = 64;
/** With this many waiting requests, a second run starts in parallel. Fewer cost less in one batch after the first. */
const secondRunMin = 16;
// A longer run probably waits for a lock, and must not delay unrelated requests.
const patienceMs = 100;
/**
 * The most unanswered requests of a statement in one process (docs/decisions/bounds.md). The database answers that many
 * in a fifth of a second. With more, a new request would wait longer than a retry takes.
 */
const unansweredMax = 1024;
/** The most bytes of unanswered requests: 25 of the largest envelopes, or 2,000 of the largest that are batched. */
const bytesMax = 128 * 1_048_576;
const retryAfterSeconds = 1;

/** The declaration of a batched statement. */
type Declaration<Asked extends Columns, Row extends Columns, Carries extends boolean> = {
  name: string;
  /** The columns of each request, in JSON. */
  columns: Asked;
  /** The columns that the statement returns for a request, in addition to `n`. */
  row: Row;
  /** Whether each request also has `bytes`, which are sent in binary. */
  carriesBytes?: Carries;
  /** Composes the statement from `request`, the recordset of the requests, and `bytes`, an expression on its row. */
  text: (request: string, bytes: string) => string;
};

/** A request to a batched statement. */
type RequestOf<Asked extends Columns, Carries extends boolean> = JsonOf<Asked> &
  (Carries extends true ? { bytes: Buffer } : unknown);

/**
 * A prepared statement that serves many requests at once: those that arrive in one turn of the event loop, or while a
 * run is in progress, share one execution, one commit and one flush. If nothing is running, no request waits for
 * others. If 16 wait for a run to end, a second one starts in parallel.
 *
 * The statement reads its requests from the recordset `request`, numbered by `n`, and returns at most one row for each,
 * with its `n`. It must lock shared rows in a fixed order, so that two runs cannot deadlock.
 *
 * If the database falls behind and 1,024 other requests, or too many bytes, are unanswered, a request is refused with
 * `unavailable`.
 */
export function batchedStatement<
  const Asked extends Columns,
  const Row extends Columns,
  const Carries extends boolean = false,
>({ name, columns, row, carriesBytes, text: compose }: Declaration<Asked, Row, Carries>) {
  type Request = RequestOf<Asked, Carries>;
  type Answer = RowOf<Row>;
  const requests = { n: "integer", ...columns, ...(carriesBytes && { bytes_at: "integer", bytes_length: "integer" }) };
  const recordset = Object.entries<string>(requests).map(([column, type]) => `${column} ${typeOf(type)}`);
  const text = compose(
    `json_to_recordset($1::json) as request(\n        ${recordset.join(",\n        ")})`,
    "substr($2::bytea, bytes_at, bytes_length)",
  );
  declareStatement({
    name,
    text,
    parameters: { requests: "json", ...(carriesBytes && { bytes: "bytea" }) },
    requests,
    row: { n: "integer", ...row },
  });
  const measured = measureQueue(name);
  const queues = new WeakMap<pg.Pool, Queue<Request, Answer>>();

  async function run(pool: pg.Pool, batch: Request[]): Promise<(Answer | undefined)[]> {
    const values = carriesBytes ? withBytes(batch) : [JSON.stringify(batch.map(numbered))];
    const { rows } = await pool.query<Answer & { n: number }>({ name, text, values });
    const rowOf = new Map(rows.map((found) => [found.n, found]));
    return batch.map((_, n) => rowOf.get(n));
  }

  async function alone(pool: pg.Pool, request: Request): Promise<Answer | undefined> {
    const [row] = await run(pool, [request]);
    return row;
  }

  async function runBatch(pool: pg.Pool, queue: Queue<Request, Answer>, batch: Waiting<Request, Answer>[]) {
    try {
      const rows = await run(
        pool,
        batch.map(({ request }) => request),
      );
      for (const [n, { request, resolve }] of batch.entries()) {
        leave(queue, request);
        resolve(rows[n]);
      }
    } catch (error) {
      // A rejected statement is rolled back, and its requests are retried one by one. After any other error,
      // such as a lost connection, it is unknown whether it was committed: nothing is retried.
      const isOfOne = isOfStatement(error);
      for (const { request, resolve, reject } of batch) {
        const settled = isOfOne && batch.length > 1 ? alone(pool, request) : Promise.reject(error);
        settled.finally(() => leave(queue, request)).then(resolve, reject);
      }
    }
  }

  function runWaiting(pool: pg.Pool, queue: Queue<Request, Answer>) {
    const isWorthwhile = () =>
      queue.running === 0
        ? queue.waiting.length > 0
        : queue.running < runningMax && queue.waiting.length >= secondRunMin;
    while (isWorthwhile() && queue.underWay < runsMaxOf(pool)) {
      queue.running++;
      queue.underWay++;
      let counts = true;
      const makeRoom = () => {
        if (!counts) return;
        counts = false;
        queue.running--;
      };
      const impatience = setTimeout(() => {
        makeRoom();
        runWaiting(pool, queue);
      }, patienceMs);
      void runBatch(pool, queue, queue.waiting.splice(0, batchMax)).finally(() => {
        clearTimeout(impatience);
        makeRoom();
        queue.underWay--;
        runWaiting(pool, queue);
      });
    }
  }

  /** Counts a request until `leave`. Throws `unavailable` if there would be too many requests or bytes. */
  function enter(pool: pg.Pool, request: Request): Queue<Request, Answer> {
    const queue = queues.get(pool) ?? { waiting: [], running: 0, underWay: 0, asked: 0, bytes: 0 };
    queues.set(pool, queue);
    if (queue.asked >= unansweredMax || (queue.bytes + weigh(request) > bytesMax && queue.asked > 0)) {
      measured.refused(1);
      throw unavailable(retryAfterSeconds);
    }
    queue.asked++;
    queue.bytes += weigh(request);
    measured.depth++;
    return queue;
  }

  function leave(queue: Queue<Request, Answer>, request: Request) {
    queue.asked--;
    queue.bytes -= weigh(request);
    measured.depth--;
  }

  const weigh = (request: Request) => (carriesBytes ? (request as { bytes: Buffer }).bytes.length : 0);

  const entersAlone = async (pool: pg.Pool, request: Request): Promise<Answer | undefined> => {
    const queue = enter(pool, request);
    try {
      return await alone(pool, request);
    } finally {
      leave(queue, request);
    }
  };
  const joins = (pool: pg.Pool, request: Request): Promise<Answer | undefined> =>
    new Promise((resolve, reject) => {
      const queue = enter(pool, request);
      queue.waiting.push({ request, resolve, reject });
      if (queue.waiting.length === 1 || queue.waiting.length === secondRunMin) setImmediate(runWaiting, pool, queue);
    });

  return {
    /** Runs the statement for a single request; undefined if it returns no row. Throws `unavailable`. */
    alone: (pool: pg.Pool, request: Request) => inStatementSpan(name, () => entersAlone(pool, request)),
    /** Runs the statement for a request, in a batch with others if there are any. Throws `unavailable`. */
    together: (pool: pg.Pool, request: Request) => inStatementSpan(name, () => joins(pool, request)),
  };
}

/** Runs that wait for locks leave half of the connections to other work. */
const runsMaxOf = ({ options }: pg.Pool) => Math.max(runningMax, Math.floor(options.max / 2));

const numbered = <Input extends object>(input: Input, n: number) => ({ n, ...input });

function withBytes(inputs: { bytes?: Buffer }[]): [requests: string, bytes: Buffer] {
  let end = 0;
  const chunks: Buffer[] = [];
  const requests = inputs.map(({ bytes = Buffer.alloc(0), ...fields }, n) => {
    const bytesAt = end + 1;
    end += bytes.length;
    chunks.push(bytes);
    return { n, bytes_at: bytesAt, bytes_length: bytes.length, ...fields };
  });
  const [first] = chunks;
  return [JSON.stringify(requests), first && chunks.length === 1 ? first : Buffer.concat(chunks, end)];
}
