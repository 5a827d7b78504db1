import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import type { Deps } from "../deps.ts";
import { readMetrics, registry } from "./metrics.ts";

/** `GET /healthz`, `GET /readyz` and `GET /metrics` (contract section 7). `measure` brings metrics up to
 * date and returns what forgets them after they were shown. */
export const operationRoutes =
  (
    { pool, store, disks }: Deps,
    mayReadMetrics: (request: FastifyRequest) => Promise<void>,
    measure: () => Promise<() => void>,
  ): FastifyPluginAsync =>
  async (app) => {
    const hidden = { schema: { hide: true } as object, logLevel: "warn" as const };

    app.get("/healthz", hidden, async () => ({ status: "ok" }));

    app.get("/readyz", hidden, async (request, reply) => {
      const [database, files] = await Promise.allSettled([pool.query("select 1"), store.check()]);
      const reason =
        database.status === "rejected"
          ? "the database does not answer"
          : files.status === "rejected"
            ? "the store cannot be written to"
            : disks.areLow() && "a disk has less free than its reserve";
      if (reason) {
        request.log.warn({ database, files }, reason);
        return reply.code(503).send({ status: "not ready", reason });
      }
      return { status: "ready" };
    });

    app.get("/metrics", hidden, async (request, reply) => {
      if (!isLocal(request)) await mayReadMetrics(request);
      const forget = await measure().catch((error: unknown) => {
        request.log.warn({ err: error }, "not everything could be measured");
      });
      const text = await readMetrics();
      forget?.();
      return reply.type(registry.contentType).send(text);
    });
  };

/** A request from this machine that no proxy passed on. */
function isLocal(request: FastifyRequest): boolean {
  const forwarded = ["forwarded", "via", "x-forwarded-for", "x-real-ip"].some((name) => name in request.headers);
  return !forwarded && /^(127\.|::1$|::ffff:127\.)/.test(request.socket.remoteAddress ?? "");
}
