import t from 'tap';
import { type Sample, verdict } from '../../src/soak/run-soak.ts';

/** Fifty samples of a soak; `grow` maps time, from 0 to 1, to a value. */
const soak = (
  grow: Partial<Record<'rssMb' | 'handles' | 'bytes' | 'latency', (time: number) => number>>,
): Sample[] =>
  Array.from({ length: 50 }, (_, index) => {
    const time = index / 49;
    const rows = 10_000 * (1 + time);
    const at = (what: keyof typeof grow, usual: number) => grow[what]?.(time) ?? usual;
    const latency = at('latency', 20);
    return {
      second: index,
      processes: { 'api 1': { rssMb: at('rssMb', 150), handles: at('handles', 40) } },
      tables: { payments: { rows, bytes: at('bytes', 200) * rows, indexBytes: 100 * rows } },
      latency: { count: 100, p50: latency, p95: latency * 2, p99: latency * 3 },
    };
  });

const broken = (samples: Sample[]) =>
  verdict(samples)
    .filter(({ holds }) => !holds)
    .map(({ what }) => what);

t.test('flat values, and tables that grow with their rows, hold', async (t) => {
  t.same(broken(soak({})), []);
  t.same(
    broken(soak({ rssMb: (time) => 100 + Math.min(time, 0.15) * 1_000 })),
    [],
    'warming up is not a leak',
  );
});

t.test('values that grow with time alone fail', async (t) => {
  t.same(broken(soak({ rssMb: (time) => 100 + time * 300 })), ['memory of api 1']);
  t.same(broken(soak({ handles: (time) => 40 + time * 100 })), ['open handles of api 1']);
  t.same(broken(soak({ bytes: (time) => 200 * (1 + 4 * time) })), ['payments and its indexes']);
  t.same(broken(soak({ latency: (time) => 20 + 200 * time })), ['latency, p50', 'latency, p95']);
});
