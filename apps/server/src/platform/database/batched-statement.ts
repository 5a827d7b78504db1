import type pg from "pg";
import { isRolledBack, preparedStatement } from "./database.ts";

/** What a request asks of a statement. Its `bytes`, where it has any, travel as they are. */
type Asking<Input> = Input & { bytes?: Buffer };
type Waiting<Input, Row> = {
  input: Asking<Input>;
  resolve: (row: Row | undefined) => void;
  reject: (error: unknown) => void;
};
type Queue<Input, Row> = { waiting: Waiting<Input, Row>[]; running: number };

const runningMax = 2;
const batchMax = 64;
// A run that takes longer waits for a lock, most likely: it must not hold up requests that have nothing to do with it.
const patienceMs = 100;

/**
 * A prepared statement that serves many requests at once: those that arrive in one turn of the event loop, or while two
 * runs are under way, go together, and pay for one execution, one commit and one flush. Nothing waits for company.
 *
 * The statement reads its requests from `json_to_recordset($1)`, numbered by `n`, and returns at most one row for each,
 * with its `n`. It must lock what its requests share in one order, so that two runs never wait for each other.
 *
 * Where its text has a `$2`, the requests' bytes are there, one after the other: those of a request are the `bytes_length`
 * that begin at `bytes_at`, counted from 1.
 */
export function batchedStatement<Input extends object, Row extends pg.QueryResultRow>(name: string, text: string) {
  const prepared = preparedStatement<Row & { n: number }>(name, text);
  const readsBytes = text.includes("$2");
  const queues = new WeakMap<pg.Pool, Queue<Input, Row>>();

  async function run(pool: pg.Pool, inputs: Asking<Input>[]): Promise<(Row | undefined)[]> {
    const rows = await prepared(pool, readsBytes ? withBytes(inputs) : [JSON.stringify(inputs.map(numbered))]);
    const rowOf = new Map(rows.map((row) => [row.n, row]));
    return inputs.map((_, n) => rowOf.get(n));
  }

  async function alone(pool: pg.Pool, input: Asking<Input>): Promise<Row | undefined> {
    const [row] = await run(pool, [input]);
    return row;
  }

  async function runBatch(pool: pg.Pool, batch: Waiting<Input, Row>[]) {
    try {
      const inputs = batch.map(({ input }) => input);
      const rows = await run(pool, inputs);
      for (const [n, { resolve }] of batch.entries()) resolve(rows[n]);
    } catch (error) {
      // What the database refused is rolled back, and no request may fail for the sake of another. After anything else,
      // a lost connection, say, nobody knows whether it was committed: nothing is sent twice.
      const rolledBack = isRolledBack(error);
      for (const { input, resolve, reject } of batch) {
        if (rolledBack && batch.length > 1) alone(pool, input).then(resolve, reject);
        else reject(error);
      }
    }
  }

  function runWaiting(pool: pg.Pool, queue: Queue<Input, Row>) {
    while (queue.running < runningMax && queue.waiting.length > 0) {
      queue.running++;
      let counts = true;
      const makeRoom = () => {
        if (!counts) return;
        counts = false;
        queue.running--;
        runWaiting(pool, queue);
      };
      const impatience = setTimeout(makeRoom, patienceMs);
      void runBatch(pool, queue.waiting.splice(0, batchMax)).finally(() => {
        clearTimeout(impatience);
        makeRoom();
      });
    }
  }

  function together(pool: pg.Pool, input: Asking<Input>): Promise<Row | undefined> {
    const queue = queues.get(pool) ?? { waiting: [], running: 0 };
    queues.set(pool, queue);
    return new Promise((resolve, reject) => {
      queue.waiting.push({ input, resolve, reject });
      if (queue.waiting.length === 1) setImmediate(runWaiting, pool, queue);
    });
  }

  return {
    /** Runs the statement for one request by itself; undefined where it returns no row. */
    alone,
    /** Runs the statement for one request, together with others where there are any. */
    together,
  };
}

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
