import type { Window } from '../faults/fault.ts';
import type { Observations } from '../observations.ts';

/**
 * @returns how many failovers there were, and the longest time from a promotion to the next created payment. A
 * promotion after the last request for one has no such time
 */
export function failoverFigures(
  { latencies, failures }: Pick<Observations, 'latencies' | 'failures'>,
  windows: readonly Window[],
): Record<string, number> {
  const promotions = windows.filter(({ fault }) => fault.startsWith('primary-')).map(({ to }) => to);
  if (promotions.length === 0) return {};
  const created = latencies.filter(({ what }) => what === 'create');
  const refused = failures.filter(({ what }) => what === 'create');
  const lastAskedAt = Math.max(...created.map(({ at }) => at), ...refused.map(({ from }) => from));
  const waits = promotions
    .filter((promotedAt) => promotedAt <= lastAskedAt)
    .map((promotedAt) => {
      const answers = created.filter(({ at }) => at >= promotedAt);
      return Math.min(...answers.map(({ at, ms }) => at + ms)) - promotedAt;
    });
  return {
    failovers: promotions.length,
    'slowest creation after a promotion, s': Math.round(Math.max(0, ...waits) / 100) / 10,
  };
}
