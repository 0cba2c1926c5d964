import {
  type Context,
  context,
  DiagLogLevel,
  diag,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { samplerOf } from './sampler.ts';
import type { TracingSettings } from './settings.ts';
import { contextOf, traceparentOf } from './traceparent.ts';
import type { Span, Tracer } from './tracing.ts';

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** @returns OpenTelemetry's tracer with our interface; it exports OTLP over HTTP as `OTEL_EXPORTER_OTLP_*` say */
export function createOpenTelemetry(
  service: string,
  settings: TracingSettings,
  onProblem: (message: string) => void,
): { tracer: Tracer; stop(): Promise<void> } {
  listen(onProblem);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const provider = new TracerProvider({
    // The environment takes precedence.
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(settings.OTEL_TRACES_SAMPLER, settings.OTEL_TRACES_SAMPLER_ARG),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const otel = provider.getTracer('payments');
  return {
    tracer: {
      open: (name, { kind, attributes = {}, parent, onlyWithin = false }) => {
        if (onlyWithin && !trace.getActiveSpan()) return undefined;
        const below = parent === undefined ? context.active() : contextOf(parent);
        const span = otel.startSpan(name, { kind: kinds[kind], attributes }, below);
        return spanOf(span, trace.setSpan(below, span));
      },
      traceparent: () => {
        const span = trace.getActiveSpan();
        return span ? traceparentOf(span.spanContext()) : null;
      },
    },
    // Unsent traces are lost, and the process still ends with code 0.
    stop: () =>
      provider.shutdown().catch((error: { code?: string; message?: string }) => {
        onProblem(error.code ?? error.message ?? 'unknown');
      }),
  };
}

function spanOf(span: OtelSpan, inside: Context): Span {
  return {
    within: (run) => context.with(inside, run),
    name: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(attributes),
    failed: (error) => {
      const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
      span.setAttribute('error.type', String(typeof code === 'string' ? code : (name ?? 'unknown')));
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
    end: () => span.end(),
    traceparent: () => traceparentOf(span.spanContext()),
  };
}

function listen(onProblem: (message: string) => void): void {
  const ignore = () => {};
  const logger = { error: onProblem, warn: onProblem, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}
