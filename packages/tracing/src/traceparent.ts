import { type Context, ROOT_CONTEXT, type SpanContext, trace } from '@opentelemetry/api';

const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** @returns a context below the span that a `traceparent` names (W3C Trace Context §3.2); a new one for none, or nonsense */
export function contextOf(traceparent: string | null): Context {
  const [, traceId, spanId, flags] = form.exec(traceparent ?? '') ?? [];
  if (!traceId || !spanId || !flags) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}
