import { AsyncLocalStorage } from "node:async_hooks";
import type { Task, TaskList } from "graphile-worker";

/** By what a trace is kept: the standard's names. */
export const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

/** Where traces go, and which of them. */
export type TracingSettings = {
  /** OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, or OTEL_EXPORTER_OTLP_ENDPOINT and the path of traces. */
  url: string;
  /** OTEL_SERVICE_NAME: lodged where none is named. */
  serviceName: string;
  /** OTEL_TRACES_SAMPLER: as a client that sends a traceparent has it, else all of them, where none is named. */
  sampler: (typeof samplers)[number];
  /** OTEL_TRACES_SAMPLER_ARG: the part of them that a ratio keeps. */
  ratio: number;
};

/** The attributes of a span: names, numbers and ids; never a body, a secret, or an address that holds one. */
type Attributes = Readonly<Record<string, string | number>>;

/** A span that is under way. */
export type Span = {
  /** Where it is in its trace, as the W3C's header `traceparent` has it. */
  traceparent: string;
  set: (attributes: Attributes) => void;
  end: (failure?: string) => void;
};

/**
 * The options for a new span. `parent` is a `traceparent` of somebody else's; without it the span around it is the
 * parent.
 */
export type Beginning = {
  name: string;
  kind: "server" | "client" | "consumer" | "producer";
  attributes?: Attributes;
  parent?: string | null | undefined;
};

/** Creates spans and sends them to the collector, if OTLP is configured. */
export type Tracer = {
  begin: (beginning: Beginning, around: Span | undefined) => Span;
  /** Sends what there is, for two seconds at most. */
  close: () => Promise<void>;
};

type Scope = { tracer: Tracer; span: Span };

const current = new AsyncLocalStorage<Scope>();

/** The `traceparent` of the current span, to pass on. */
export const traceparent = (): string | undefined => current.getStore()?.span.traceparent;

/** Begins a span, and runs `work` in it. The caller ends it. */
export function beginSpan(tracer: Tracer, beginning: Beginning, run: () => void): Span {
  const span = tracer.begin(beginning, current.getStore()?.span);
  current.run({ tracer, span }, run);
  return span;
}

/** Does work in a span of its own, where there is a tracer. */
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
      span.end((error as Error).name); // its message may quote what was sent
      throw error;
    }
  });
}

/** Asks the database in a span that bears the statement's name, where there is a span around it. */
export function inStatementSpan<T>(statement: string, ask: () => Promise<T>): Promise<T> {
  const scope = current.getStore();
  if (!scope) return ask();
  const attributes = { "db.system.name": "postgresql", "db.query.summary": statement };
  return inSpan(scope.tracer, { name: statement, kind: "client", attributes }, ask);
}

/** The same tasks, each run of which is a span. */
export function traceTasks(tracer: Tracer | undefined, tasks: TaskList): TaskList {
  if (!tracer) return tasks;
  const traced = Object.entries(tasks).map(([name, run]): [string, Task] => [
    name,
    (payload, helpers) => inSpan(tracer, { name, kind: "consumer" }, async () => run?.(payload, helpers)),
  ]);
  return Object.fromEntries(traced);
}
