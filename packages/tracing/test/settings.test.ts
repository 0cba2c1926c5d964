import t from 'tap';
import { isTracingWanted } from '../src/settings.ts';

t.test('traces are sent if an endpoint or an exporter is named, and nothing turns them off', async (t) => {
  const off = { OTEL_SDK_DISABLED: 'false', OTEL_TRACES_SAMPLER: 'always_on', OTEL_TRACES_SAMPLER_ARG: 1 };
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector' };
  t.equal(isTracingWanted(off), false);
  t.equal(isTracingWanted({ ...off, ...endpoint }), true);
  t.equal(isTracingWanted({ ...off, ...endpoint, OTEL_SDK_DISABLED: 'true' }), false);
  t.equal(isTracingWanted({ ...off, ...endpoint, OTEL_TRACES_EXPORTER: 'none' }), false);
  t.equal(isTracingWanted({ ...off, OTEL_TRACES_EXPORTER: 'otlp' }), true);
});
