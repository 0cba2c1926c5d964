import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type SpanContext,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';

const w3c = new W3CTraceContextPropagator();

/** @returns a context below the span of a `traceparent` (W3C Trace Context); a new one for null or an invalid value */
export function contextOf(traceparent: string | null): Context {
  return w3c.extract(ROOT_CONTEXT, { traceparent: traceparent ?? '' }, defaultTextMapGetter);
}

export function traceparentOf(span: SpanContext): string {
  const carrier = { traceparent: '' };
  w3c.inject(trace.setSpanContext(ROOT_CONTEXT, span), carrier, defaultTextMapSetter);
  return carrier.traceparent;
}
