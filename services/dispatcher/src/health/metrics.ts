import { attemptMetrics } from '@payments/metrics/deliveries';
import { gauge } from '@payments/metrics/registry';
import { scanMetrics } from '@payments/metrics/scans';
import type { ServiceMetrics } from '@payments/service/metrics';

/** The dispatcher's own metrics beside those of both services. */
export type DispatcherMetrics = ReturnType<typeof dispatcherMetrics>;

export function dispatcherMetrics(common: ServiceMetrics, reviewTimeoutSeconds: number) {
  const { register } = common;
  gauge(
    register,
    'payments_review_timeout_seconds',
    'How long a payment may stay in review before it is refunded, as configured',
    () => reviewTimeoutSeconds,
  );
  return {
    ...common,
    attempted: attemptMetrics(register),
    scans: scanMetrics(register),
  };
}
