import { randomUUID } from "node:crypto";
import {
  isSpanContextValid,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { Counter } from "prom-client";
import manifest from "../../../package.json" with { type: "json" };
import { describe } from "../errors.ts";
import { within } from "../outage.ts";
import type { Log } from "./log.ts";
import { registry } from "./metrics.ts";
import type { Span, Tracer, TracingSettings } from "./tracing.ts";

const farewellMs = 2_000;
const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  producer: SpanKind.PRODUCER,
};

const failures = new Counter({
  name: "lodged_trace_export_failures_total",
  help: "Batches of spans that were lost because the collector did not accept them.",
  registers: [registry],
});

/**
 * Sends spans to a collector with OTLP over HTTP, some seconds after they have ended. Logs one warning when the
 * collector fails, until it works again. Spans above the queue of 2,048 are dropped.
 */
export function openTracer({ url, serviceName, sampler, ratio }: TracingSettings, log: Log): Tracer {
  const own = resourceFromAttributes({
    "service.name": serviceName,
    "service.version": manifest.version,
    "service.instance.id": randomUUID(),
  });
  const provider = new TracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    sampler: samplersByName[sampler](ratio),
    spanProcessors: [new BatchSpanProcessor({ exporter: warnOnce(new OTLPTraceExporter({ url }), log) })],
  });
  const tracer = provider.getTracer("lodged", manifest.version);
  const ofSpan = new WeakMap<Span, OtelSpan>();
  return {
    begin: ({ name, kind, attributes, parent }, around) => {
      const context =
        contextOf(parent) ?? (around ? trace.setSpan(ROOT_CONTEXT, ofSpan.get(around) as OtelSpan) : ROOT_CONTEXT);
      const begun = tracer.startSpan(name, { kind: kinds[kind], ...(attributes && { attributes }) }, context);
      const { traceId, spanId, traceFlags } = begun.spanContext();
      const span: Span = {
        traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
        set: (more) => void begun.setAttributes(more),
        end: (failure) => {
          if (failure) begun.setStatus({ code: SpanStatusCode.ERROR, message: failure });
          begun.end();
        },
      };
      ofSpan.set(span, begun);
      return span;
    },
    close: async () => {
      await within(farewellMs, provider.shutdown()).catch(() => {}); // spans that were not sent are lost
    },
  };
}

const samplersByName = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio: number) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio: number) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
};

/** The context of a remote span; undefined if the header is invalid. */
function contextOf(header: string | null | undefined) {
  const [, traceId = "", spanId = "", flags = ""] =
    /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(header ?? "") ?? [];
  const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(remote) ? trace.setSpanContext(ROOT_CONTEXT, remote) : undefined;
}

function warnOnce(exporter: SpanExporter, log: Log): SpanExporter {
  let isWarned = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code === 0) isWarned = false;
        else {
          failures.inc();
          if (!isWarned) log.warn({ reason: describe(result.error) }, "the trace collector does not accept traces");
          isWarned = true;
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

/** Sends an empty batch to a collector. Throws if it refuses or does not respond in time. */
export async function greetCollector(url: string, timeoutMs: number): Promise<void> {
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: timeoutMs });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  exporter.export([], ({ code, error }) => (code === 0 ? resolve() : reject(error ?? new Error("It takes no spans"))));
  try {
    await promise;
  } finally {
    await exporter.shutdown();
  }
}
