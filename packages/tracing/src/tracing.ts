import {
  type Context,
  context,
  INVALID_SPAN_CONTEXT,
  type SpanOptions as Options,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

/**
 * Our own spans: the instrumentations of `pg` and `undici` patch modules, which a bundle lacks. undici's would also
 * send our trace to receivers, and put their URLs, with keys, into spans. Their attributes are names, numbers and ids;
 * no text from a payer or a store. While tracing is off, OpenTelemetry's API does nothing.
 */
const tracer = trace.getTracer('payments');
const noSpan = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

export { type Span, SpanKind };

/** `traceparent` is that of the cause (W3C Trace Context), null for none; left out: the active span. */
export type SpanOptions = Options & { traceparent?: string | null };

/** Opens a span that the caller ends. */
export function openSpan(name: string, options: SpanOptions): Span {
  return tracer.startSpan(name, options, causeOf(options));
}

/** Runs in a new span. It starts no trace: without a cause, it just runs. */
export async function traced<T>(
  name: string,
  options: SpanOptions,
  run: (span: Span) => Promise<T>,
): Promise<T> {
  if (!trace.getSpan(causeOf(options))) return run(noSpan);
  const span = openSpan(name, options);
  try {
    return await within(span, () => run(span));
  } catch (error) {
    failed(span, error);
    throw error;
  } finally {
    span.end();
  }
}

function causeOf({ traceparent }: SpanOptions): Context {
  return traceparent === undefined ? context.active() : propagation.extract(ROOT_CONTEXT, { traceparent });
}

/** Runs with this span as the active one, across every `await`. */
export function within<T>(span: Span, run: () => T): T {
  return context.with(trace.setSpan(context.active(), span), run);
}

/** @returns the function, which will run with the span that is active now */
export function inThisTrace<Run extends (...args: never[]) => unknown>(run: Run): Run {
  return context.bind(context.active(), run);
}

/** Records only an error's kind: its message may hold anything. */
export function failed(span: Span, error: unknown): void {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  span.setAttribute('error.type', String(typeof code === 'string' ? code : (name ?? 'unknown')));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

export function isTraced(): boolean {
  return trace.getActiveSpan() !== undefined;
}

/** @returns the W3C `traceparent` of the active span; null without one */
export function currentTraceparent(): string | null {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}
