import type { Point } from './evaluate.ts';
import type { Sample, Scrape } from './samples.ts';

/** A series over time. */
export type Series = { labels: Record<string, string>; points: { at: number; value: number }[] };

const units: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** @returns the series with at least two values in the last `duration` before the last scrape */
export function selectRange(
  scrapes: readonly Scrape[],
  duration: string,
  isMeant: (sample: Sample) => boolean,
): Series[] {
  const from = scrapes.at(-1)!.at - Number.parseInt(duration, 10) * units[duration.at(-1)!]!;
  const series = new Map<string, Series>();
  for (const { at, samples } of scrapes) {
    if (at < from) continue;
    for (const { labels, value } of samples.filter(isMeant)) {
      const key = JSON.stringify(Object.entries(labels).sort());
      const one = series.get(key) ?? { labels, points: [] };
      one.points.push({ at, value });
      series.set(key, one);
    }
  }
  return [...series.values()].filter(({ points }) => points.length > 1);
}

/** @returns a counter's increase, including restarts of its process */
export function increaseOf(points: Series['points']): number {
  let grown = 0;
  for (const [index, { value }] of points.entries()) {
    if (index === 0) continue;
    const before = points[index - 1]!.value;
    grown += value >= before ? value - before : value;
  }
  return grown;
}

/** @param buckets cumulative, by their upper bound in the label `le` */
export function histogramQuantile(quantile: number, buckets: readonly Point[]): Point[] {
  const groups = Map.groupBy(buckets, ({ labels: { le: _, ...rest } }) => JSON.stringify(rest));
  return [...groups].flatMap(([key, group]) => {
    const inOrder = group
      .map(({ labels, value }) => ({ upTo: Number(labels.le?.replace('+Inf', 'Infinity')), value }))
      .sort((a, b) => a.upTo - b.upTo);
    const rank = quantile * (inOrder.at(-1)?.value ?? 0);
    const place = inOrder.findIndex(({ value }) => value >= rank);
    if (rank === 0 || place < 0) return [];
    const [below, bucket] = [inOrder[place - 1] ?? { upTo: 0, value: 0 }, inOrder[place]!];
    const within = (rank - below.value) / (bucket.value - below.value);
    const value =
      bucket.upTo === Number.POSITIVE_INFINITY
        ? below.upTo
        : below.upTo + (bucket.upTo - below.upTo) * within;
    return [{ labels: JSON.parse(key), value }];
  });
}
