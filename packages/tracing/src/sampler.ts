import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

/** @returns which traces are kept, by the OpenTelemetry specification's names */
export function samplerOf(name: string, ratio: number): Sampler {
  if (name.startsWith('parentbased_')) {
    return new ParentBasedSampler({ root: samplerOf(name.slice('parentbased_'.length), ratio) });
  }
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}
