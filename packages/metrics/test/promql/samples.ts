/** One value of one series. */
export type Sample = { name: string; labels: Record<string, string>; value: number };

/** All samples of one scrape; its time in seconds. */
export type Scrape = { at: number; samples: Sample[] };

const line = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>.*)\})? (?<value>\S+)$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/**
 * Reads Prometheus' text format.
 * @param target labels that the scrape adds, such as `job` and `instance`
 * @throws Error for a line that is not a sample
 */
export function readSamples(text: string, target: Record<string, string>): Sample[] {
  return text
    .split('\n')
    .filter((one) => one !== '' && !one.startsWith('#'))
    .map((one) => {
      const { name, labels = '', value } = line.exec(one)?.groups ?? {};
      if (!name || value === undefined) throw new Error(`not a sample: ${one}`);
      const own = Object.fromEntries([...labels.matchAll(label)].map(([, key, text]) => [key, text]));
      return { name, labels: { ...own, ...target }, value: numberOf(value) };
    });
}

function numberOf(value: string): number {
  return value === '+Inf' ? Number.POSITIVE_INFINITY : value === 'Nan' ? Number.NaN : Number(value);
}
