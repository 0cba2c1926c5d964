import type { Window } from '../faults/fault.ts';
import type { Observations } from '../observations.ts';

/** @returns how many failovers there were, and the longest time from a promotion to the next created payment */
export function failoverFigures(
  { latencies }: Pick<Observations, 'latencies'>,
  windows: readonly Window[],
): Record<string, number> {
  const promotions = windows.filter(({ fault }) => fault.startsWith('primary-')).map(({ to }) => to);
  if (promotions.length === 0) return {};
  const waits = promotions.map((promotedAt) => {
    const answers = latencies.filter(({ what, at }) => what === 'create' && at >= promotedAt);
    return Math.min(...answers.map(({ at, ms }) => at + ms)) - promotedAt;
  });
  return {
    failovers: promotions.length,
    'slowest creation after a promotion, s': Math.round(Math.max(...waits) / 100) / 10,
  };
}
