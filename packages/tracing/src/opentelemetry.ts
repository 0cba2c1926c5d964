import { context, DiagLogLevel, diag, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TracingSettings } from './settings.ts';

/** Starts OpenTelemetry's SDK, which exports OTLP over HTTP as `OTEL_EXPORTER_OTLP_*` say. @returns its end */
export function startOpenTelemetry(
  service: string,
  settings: TracingSettings,
  onProblem: (message: string) => void,
): () => Promise<void> {
  listen(onProblem);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const provider = new TracerProvider({
    // The environment takes precedence.
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(settings.OTEL_TRACES_SAMPLER, settings.OTEL_TRACES_SAMPLER_ARG),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  trace.setGlobalTracerProvider(provider);
  // Unsent traces are lost, and the process still ends with code 0.
  return () =>
    provider.shutdown().catch((error: { code?: string; message?: string }) => {
      onProblem(error.code ?? error.message ?? 'unknown');
    });
}

function listen(onProblem: (message: string) => void): void {
  const ignore = () => {};
  const logger = { error: onProblem, warn: onProblem, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** @returns which traces are kept, by the OpenTelemetry specification's names */
function samplerOf(name: string, ratio: number): Sampler {
  if (name.startsWith('parentbased_')) {
    return new ParentBasedSampler({ root: samplerOf(name.slice('parentbased_'.length), ratio) });
  }
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}
