import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from "fastify";
import type { Deps } from "../deps.ts";
import { unavailable } from "../errors.ts";
import { readMetrics, registry } from "../observe/metrics.ts";
import { DeadlineError, within } from "../outage.ts";

/** Who asks whether a server is ready gives up soon, and takes it for dead. */
const readyTimeoutMs = 2_000;
/** The same of who asks for its numbers: those that only the database knows are left out where it is too slow. */
const measureTimeoutMs = 300;
const metricsAccessTimeoutMs = 500;

/** `GET /healthz`, `GET /readyz` and `GET /metrics` (contract section 7). `measure` brings metrics up to
 * date and returns what forgets them after they were shown. */
export const operationRoutes =
  (
    { pool, store, disks, cells, config }: Deps,
    isProxied: () => boolean,
    mayReadMetrics: (request: FastifyRequest) => Promise<void>,
    measure: () => Promise<() => void>,
  ): FastifyPluginAsync =>
  async (app) => {
    const hidden = { logLevel: "warn" as const };

    app.get("/healthz", hidden, async () => ({ status: "ok" }));

    // A question that is still open is not asked again: it would only take another connection.
    let asked: Promise<unknown> | undefined;
    const askDatabase = () => {
      asked ??= pool.query("select 1").finally(() => {
        asked = undefined;
      });
      return asked;
    };

    app.get("/readyz", hidden, async (request, reply) => {
      const [database, files] = await Promise.allSettled([
        within(readyTimeoutMs, askDatabase()),
        within(readyTimeoutMs, store.check()),
      ]);
      const reason =
        database.status === "rejected" && !(await cells.anyAnswers())
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
      // Behind a proxy whoever asks may come from its machine, which may be this one.
      const open = config.trustedProxies.length === 0 && !isProxied() && isLocal(request);
      if (!open) {
        await within(metricsAccessTimeoutMs, mayReadMetrics(request)).catch((error: unknown) => {
          throw error instanceof DeadlineError ? unavailable() : error;
        });
      }
      const measured = measure();
      const forget = await within(measureTimeoutMs, measured).catch((error: unknown) => {
        request.log.warn({ err: error }, "not everything could be measured");
        measured.then(
          (late) => late(),
          () => {},
        ); // it has said why already
      });
      const text = await readMetrics();
      forget?.();
      return reply.type(registry.contentType).send(text);
    });
  };

const isLocal = ({ socket }: FastifyRequest) => /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? "");

/**
 * Watches for a request that a proxy on this machine passed on, and says whether there was one. What a stranger writes
 * into the headers of a request of their own does not count.
 */
export function watchForProxies(app: FastifyInstance): () => boolean {
  let seen = false;
  app.addHook("onRequest", (request, _reply, done) => {
    seen ||= isForwarded(request) && isLocal(request);
    done();
  });
  return () => seen;
}

const isForwarded = ({ headers }: FastifyRequest) =>
  headers["x-forwarded-for"] !== undefined ||
  headers.forwarded !== undefined ||
  headers.via !== undefined ||
  headers["x-real-ip"] !== undefined;
