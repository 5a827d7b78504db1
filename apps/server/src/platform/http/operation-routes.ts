import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from "fastify";
import type { Deps } from "../deps.ts";
import { describe, unavailable } from "../errors.ts";
import { askCells, measureCells, type Pools } from "../observe/ask-cells.ts";
import { readMetrics, registry } from "../observe/metrics.ts";
import { DeadlineError, within } from "../outage.ts";

/** Below the timeout of readiness probes, which would count the server as dead. */
const readyTimeoutMs = 2_000;
/** The time limit for metrics from the database, which are left out if it is slower. */
const measureTimeoutMs = 300;
const metricsAccessTimeoutMs = 500;

/** `GET /healthz`, `GET /readyz` and `GET /metrics` (contract section 7). `measure` updates metrics and
 * returns a function that resets them after the response. */
export const operationRoutes =
  (
    { pool, cell, store, disks, cells, config, draining }: Deps,
    isProxied: () => boolean,
    mayReadMetrics: (request: FastifyRequest) => Promise<void>,
    measure: (pools: Pools) => Promise<() => void>,
  ): FastifyPluginAsync =>
  async (app) => {
    const hidden = { logLevel: "warn" as const };

    app.get("/healthz", hidden, async () => ({ status: "ok" }));

    const ofCells = () => new Map([[cell, pool], ...cells.pools()]);

    app.get("/readyz", hidden, async (request, reply) => {
      const all = ofCells();
      const [away, files] = await Promise.all([
        askCells(all, readyTimeoutMs),
        within(readyTimeoutMs, store.check()).then(
          () => undefined,
          (error: unknown) => ({ reason: describe(error) }),
        ),
      ]);
      const reason = draining.aborted
        ? "the server is stopping"
        : away.length === all.size
          ? "the database does not answer"
          : files && "the store cannot be written to";
      // Problems for people to see, which do not make the server unready.
      const lowDisks = disks.low();
      const more = { ...(all.size > 1 && away.length > 0 && { away }), ...(lowDisks.length > 0 && { lowDisks }) };
      if (reason) {
        if (!draining.aborted) request.log.warn({ away, files }, reason);
        return reply.code(503).send({ status: "not ready", reason, ...more });
      }
      return { status: "ready", ...more };
    });

    app.get("/metrics", hidden, async (request, reply) => {
      // A request through a proxy on this machine comes from a local address too.
      const open = config.trustedProxies.length === 0 && !isProxied() && isLocal(request);
      if (!open) {
        await within(metricsAccessTimeoutMs, mayReadMetrics(request)).catch((error: unknown) => {
          throw error instanceof DeadlineError ? unavailable() : error;
        });
      }
      const measured = measure(ofCells());
      const asking = measureCells(ofCells(), measureTimeoutMs);
      const forget = await within(measureTimeoutMs, measured).catch((error: unknown) => {
        request.log.warn({ err: error }, "some metrics could not be measured");
        measured.then(
          (late) => late(),
          () => {},
        ); // the reason is already logged
      });
      const forgetCells = await asking;
      const text = await readMetrics();
      forgetCells();
      forget?.();
      return reply.type(registry.contentType).send(text);
    });
  };

const isLocal = ({ socket }: FastifyRequest) => /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? "");

/**
 * Returns a function that says whether a proxy on this machine has forwarded a request so far. Ignores forwarding
 * headers that clients write themselves.
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
