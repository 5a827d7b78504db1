import fastify from "fastify";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";

// The minimum cost of filing a ticket: plain Fastify and one prepared INSERT of the ticket's row, without checks.
const { PORT, DATABASE_URL = "", ORGANISATION_ID, COLUMN_ID } = process.env;
const pool = openPool({ connectionString: DATABASE_URL }, createLog("warn"));

type Sent = { title: string; description: string; priority: string };
const insertTicket = {
  name: "insert_ticket",
  text: `insert into tickets (organisation_id, column_id, position, title, description, priority, author_name)
  values ($1, $2, replace(uuidv7()::text, '-', ''), $3, $4, $5, 'reference') returning id, created_at`,
};

const app = fastify({ logger: false });
app.get("/readyz", async () => ({ status: "ready" }));
app.post<{ Body: Sent }>("/tickets", async (request, reply) => {
  const { title, description, priority } = request.body;
  const values = [ORGANISATION_ID, COLUMN_ID, title, description, priority];
  const { rows } = await pool.query<{ id: string; created_at: Date }>({ ...insertTicket, values });
  const [row] = rows;
  return reply.code(201).send({ id: row?.id, title, columnId: COLUMN_ID, createdAt: row?.created_at });
});
process.once("SIGTERM", () => void app.close().then(() => pool.end()));
await app.listen({ port: Number(PORT), host: "127.0.0.1" });
