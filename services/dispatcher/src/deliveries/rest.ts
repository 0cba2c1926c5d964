const failuresInARow = 10;
const longestRest = 12;

/**
 * How long an endpoint that keeps failing is left alone before one delivery probes it. Its other deliveries wait
 * meanwhile, which costs them none of their retries.
 * @param failures in a row, over all of the endpoint's deliveries
 * @param firstRetryMs the first pause of the retry schedule: the unit of the rest, doubling up to twelve of it
 * @returns milliseconds, or null while the breaker stays closed
 */
export function restOf(failures: number, firstRetryMs: number): number | null {
  if (failures < failuresInARow) return null;
  return firstRetryMs * Math.min(longestRest, 2 ** Math.min(20, failures - failuresInARow));
}
