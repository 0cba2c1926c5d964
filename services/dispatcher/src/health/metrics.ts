import { attemptMetrics, type MadeAttempt } from '@payments/metrics/deliveries';
import { gauge } from '@payments/metrics/registry';
import { type ScanMetrics, scanMetrics } from '@payments/metrics/scans';
import type { ServiceMetrics } from '@payments/service/metrics';

export type ScanName =
  | 'refunds'
  | 'charges'
  | 'cancellations'
  | 'unheard-charges'
  | 'expiry'
  | 'missed-pix'
  | 'returned-pix'
  | 'set-aside'
  | 'reconciliation'
  | 'refused-refunds'
  | 'unregistered'
  | 'reviews'
  | 'totals'
  | 'idempotency-keys'
  | 'retention'
  | 'erasures'
  | 'personal-data';

/** The dispatcher's own metrics beside those of both services. */
export type DispatcherMetrics = ServiceMetrics & {
  attempted: (attempt: MadeAttempt) => void;
  scans: ScanMetrics;
};

export function dispatcherMetrics(common: ServiceMetrics, reviewTimeoutSeconds: number): DispatcherMetrics {
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
