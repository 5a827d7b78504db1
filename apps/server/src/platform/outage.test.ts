import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { test } from "node:test";
import pg from "pg";
import { Connection } from "./database/connection.ts";
import { isOutage } from "./outage.ts";

const refusedWith = (code: string) => Object.assign(new pg.DatabaseError("refused", 0, "error"), { code });

test("an error of an unavailable database is an outage, and an error of a statement is not", () => {
  // A lost connection, a wrong password, too many connections, no memory, a full disk, a timeout, a stop, a crash, a
  // start or a recovery, a failed read, a standby.
  const outages = ["08006", "28P01", "53300", "53200", "53100", "57014", "57P01", "57P02", "57P03", "58030", "25006"];
  assert.deepEqual(
    outages.filter((code) => !isOutage(refusedWith(code))),
    [],
  );
  // A duplicate, a foreign key, a check, a syntax error, a missing table, a deadlock, an error that Lodge's SQL raises.
  const faults = ["23505", "23503", "23514", "42601", "42P01", "40P01", "XX000", "P0001"];
  assert.deepEqual(
    faults.filter((code) => isOutage(refusedWith(code))),
    [],
  );
  for (const fault of [new Error("failed"), new TypeError("x is not a function"), "text", undefined]) {
    assert.equal(isOutage(fault), false);
  }
});

test("any refused connection is an outage, but the same error of a statement is not", async () => {
  for (const code of ["55000", "42501"]) {
    // Refuses connections like PostgreSQL: sends an error with this SQLSTATE instead of a session.
    const text = Buffer.from(`SFATAL\0C${code}\0Mno connections\0\0`);
    const length = Buffer.alloc(4);
    length.writeInt32BE(text.length + 4);
    const database = createServer((socket) => {
      socket.once("data", () => socket.end(Buffer.concat([Buffer.from("E"), length, text])));
    }).listen(0, "127.0.0.1");
    await once(database, "listening");
    const { port } = database.address() as AddressInfo;
    const client = new Connection({ host: "127.0.0.1", port, user: "lodge", database: "lodge" });
    const error = await client.connect().catch((failure: unknown) => failure);
    assert.equal((error as { code?: string }).code, code);
    assert.equal(isOutage(error), true);
    assert.equal(isOutage(refusedWith(code)), false);
    database.close();
  }
});

test("a failed connection is an outage, however it is reported", async () => {
  const errors: unknown[] = [];
  for (const config of [{ host: "127.0.0.1", port: 1 }, { host: "localhost", port: 1 }, { host: "/nowhere" }]) {
    const client = new pg.Client(config);
    await client.connect().catch((error: unknown) => errors.push(error));
  }
  const pool = new pg.Pool({ host: "127.0.0.1", port: 1 });
  await pool.end();
  await pool.query("select 1").catch((error: unknown) => errors.push(error));
  await new Promise((resolve) =>
    connect({ host: "host.invalid", port: 1 }).on("error", (error) => resolve(errors.push(error))),
  );
  errors.push(new Error("wrapped", { cause: errors[0] }));
  assert.equal(errors.length, 6);
  assert.deepEqual(
    errors.filter((error) => !isOutage(error)),
    [],
  );
});
