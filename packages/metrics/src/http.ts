import { Counter, Histogram } from 'prom-client';
import { type Registry, secondsBuckets } from './registry.ts';

export type AnsweredRequest = {
  listener: 'public' | 'admin' | 'panel' | 'callback';
  method: string;
  /** The route's template rather than the URL; undefined without a matching route. */
  route: string | undefined;
  statusCode: number;
  ms: number;
};

export type HttpMetrics = ReturnType<typeof httpMetrics>;

const creation = '/api-public/payments';
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Measures requests by route, method and status class, and counts error responses by kind. */
export function httpMetrics(register: Registry) {
  const durations = new Histogram({
    name: 'payments_http_request_duration_seconds',
    help: 'Requests by listener, route, method and status class (2xx, 4xx, …), with their time',
    labelNames: ['listener', 'route', 'method', 'status'],
    buckets: secondsBuckets,
    registers: [register],
  });
  // With a series at 0, the first failure counts as an increase.
  for (const status of ['2xx', '4xx', '5xx'])
    durations.zero({ listener: 'public', route: creation, method: 'POST', status });
  const errors = new Counter({
    name: 'payments_http_errors_total',
    help: 'Error responses by kind, such as tokenInvalid or unavailable',
    labelNames: ['error'],
    registers: [register],
  });
  return {
    answered: ({ listener, method, route = 'none', statusCode, ms }: AnsweredRequest) =>
      durations.observe(
        {
          listener,
          route,
          method: methods.has(method) ? method : 'other',
          status: `${Math.floor(statusCode / 100)}xx`,
        },
        ms / 1_000,
      ),
    /** Counts an error response by its name in the list of errors. */
    refused: (error: string) => errors.inc({ error }),
  };
}
