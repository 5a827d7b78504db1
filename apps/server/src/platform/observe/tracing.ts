import { AsyncLocalStorage } from "node:async_hooks";
import type { Task, TaskList } from "graphile-worker";

/** The samplers, by their standard names. */
export const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

/** The trace collector, and the sampling of traces. */
export type TracingSettings = {
  /** OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, or OTEL_EXPORTER_OTLP_ENDPOINT and the path of traces. */
  url: string;
  /** OTEL_SERVICE_NAME: defaults to lodged. */
  serviceName: string;
  /** OTEL_TRACES_SAMPLER: by default, follows the client's traceparent, or else keeps all traces. */
  sampler: (typeof samplers)[number];
  /** OTEL_TRACES_SAMPLER_ARG: the share of traces that a ratio sampler keeps. */
  ratio: number;
};

/** The attributes of a span: names, numbers and ids; never a body, a secret, or an address with a secret. */
type Attributes = Readonly<Record<string, string | number>>;

/** An open span. */
export type Span = {
  /** The span's `traceparent` (W3C Trace Context). */
  traceparent: string;
  set: (attributes: Attributes) => void;
  end: (failure?: string) => void;
};

/** The options for a new span. `parent` is a remote `traceparent`; it defaults to the current span. */
export type Beginning = {
  name: string;
  kind: "server" | "client" | "consumer" | "producer";
  attributes?: Attributes;
  parent?: string | null | undefined;
};

/** Creates spans and sends them to the collector, if OTLP is configured. */
export type Tracer = {
  begin: (beginning: Beginning, around: Span | undefined) => Span;
  /** Sends the remaining spans, for at most two seconds. */
  close: () => Promise<void>;
};

type Scope = { tracer: Tracer; span: Span };

const current = new AsyncLocalStorage<Scope>();

/** The `traceparent` of the current span, to propagate it. */
export const traceparent = (): string | undefined => current.getStore()?.span.traceparent;

/** Begins a span and calls `run` in it. The caller ends the span. */
export function beginSpan(tracer: Tracer, beginning: Beginning, run: () => void): Span {
  const span = tracer.begin(beginning, current.getStore()?.span);
  current.run({ tracer, span }, run);
  return span;
}

/** Runs work in its own span, if there is a tracer. */
export function inSpan<T>(
  tracer: Tracer | undefined,
  beginning: Beginning,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (!tracer) return work(undefined);
  const span = tracer.begin(beginning, current.getStore()?.span);
  return current.run({ tracer, span }, async () => {
    try {
      const done = await work(span);
      span.end();
      return done;
    } catch (error) {
      span.end((error as Error).name); // its message may quote user input
      throw error;
    }
  });
}

/** Runs a statement in a span with its name, if there is a current span. */
export function inStatementSpan<T>(statement: string, ask: () => Promise<T>): Promise<T> {
  const scope = current.getStore();
  if (!scope) return ask();
  const attributes = { "db.system.name": "postgresql", "db.query.summary": statement };
  return inSpan(scope.tracer, { name: statement, kind: "client", attributes }, ask);
}

/** Wraps tasks so that each run is a span. */
export function traceTasks(tracer: Tracer | undefined, tasks: TaskList): TaskList {
  if (!tracer) return tasks;
  const traced = Object.entries(tasks).map(([name, run]): [string, Task] => [
    name,
    (payload, helpers) => inSpan(tracer, { name, kind: "consumer" }, async () => run?.(payload, helpers)),
  ]);
  return Object.fromEntries(traced);
}
