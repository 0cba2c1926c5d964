/**
 * Our own spans: the instrumentations of `pg` and `undici` patch modules, which a bundle lacks. undici's would also
 * send our trace to receivers, and put their URLs, with keys, into spans.
 */

/** The attributes of a span: names, numbers and ids; no text from a payer or a store. */
export type Attributes = Record<string, string | number | boolean>;

export type SpanOptions = {
  kind: 'server' | 'client' | 'producer' | 'consumer';
  attributes?: Attributes;
  /** The W3C `traceparent` of the cause; null for none. Left out: the active span. */
  parent?: string | null;
  /** Opens a span only within an active one: for frequent work. */
  onlyWithin?: boolean;
};

export interface Span {
  /** Runs with this span as the active one, across every `await`. */
  within<T>(run: () => T): T;
  name(name: string): void;
  set(attributes: Attributes): void;
  /** Records only an error's kind: its message may hold anything. */
  failed(error: unknown): void;
  end(): void;
  /** @returns the W3C `traceparent` of this span */
  traceparent(): string;
}

export interface Tracer {
  open(name: string, options: SpanOptions): Span | undefined;
  /** @returns the W3C `traceparent` of the active span */
  traceparent(): string | null;
}

let tracer: Tracer | undefined;

/** Turns tracing on for the process. Call it first. */
export function traceWith(given: Tracer | undefined): void {
  tracer = given;
}

export function isTracing(): boolean {
  return tracer !== undefined;
}

/** Opens a span that the caller ends; undefined without tracing. */
export function openSpan(name: string, options: SpanOptions): Span | undefined {
  return tracer?.open(name, options);
}

/** @returns the W3C `traceparent` of the active span; null without one */
export function currentTraceparent(): string | null {
  return tracer?.traceparent() ?? null;
}

/** Runs in a new span; without tracing, just runs. */
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
