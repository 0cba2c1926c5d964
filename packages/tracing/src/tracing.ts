/**
 * Spans of our own: the instrumentations of `pg` and `undici` patch modules, and a bundled program has none. undici's
 * would also tell receivers of webhooks our trace and put their URLs, with keys in them, into spans.
 */

/** What a span may say of itself: names, numbers and ids; never what a payer or a store wrote. */
export type Attributes = Record<string, string | number | boolean>;

export type SpanOptions = {
  kind: 'server' | 'client' | 'producer' | 'consumer';
  attributes?: Attributes;
  /** The W3C `traceparent` of what caused it; null for nothing. Left out: the span that is active. */
  parent?: string | null;
  /** No span where none is active: for what happens all the time. */
  onlyWithin?: boolean;
};

export interface Span {
  /** Runs with this span as the active one, across every `await`. */
  within<T>(run: () => T): T;
  name(name: string): void;
  set(attributes: Attributes): void;
  /** Of an error only its kind is told: messages may hold anything. */
  failed(error: unknown): void;
  end(): void;
  /** The W3C `traceparent` that names it. */
  traceparent(): string;
}

export interface Tracer {
  open(name: string, options: SpanOptions): Span | undefined;
  /** Of the active span. */
  traceparent(): string | null;
}

let tracer: Tracer | undefined;

/** Turns tracing on, for the whole process, before anything else is made. */
export function traceWith(given: Tracer | undefined): void {
  tracer = given;
}

export function isTracing(): boolean {
  return tracer !== undefined;
}

/** Opens a span that the caller ends; undefined where there is no tracing. */
export function openSpan(name: string, options: SpanOptions): Span | undefined {
  return tracer?.open(name, options);
}

/** @returns the W3C `traceparent` of what is being done now; null where there is no tracing, or nothing traced */
export function currentTraceparent(): string | null {
  return tracer?.traceparent() ?? null;
}

/** Runs in a span of its own; where there is no tracing, just runs. */
export async function traced<T>(
  name: string,
  options: SpanOptions,
  run: (span?: Span) => Promise<T>,
): Promise<T> {
  const span = tracer?.open(name, options);
  if (!span) return run();
  try {
    return await span.within(() => run(span));
  } catch (error) {
    span.failed(error);
    throw error;
  } finally {
    span.end();
  }
}
