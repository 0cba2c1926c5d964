/** Runs `work` on each item, at most `atOnce` of them at a time. */
export async function inBatches<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const workers = Array.from({ length: Math.min(atOnce, items.length) }, async () => {
    for (const item of waiting) await work(item);
  });
  await Promise.all(workers);
}
