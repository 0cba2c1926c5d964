import { Pool } from 'undici';
import { percentile } from '../statistics.ts';
import type { LoadJob, LoadResult } from './job.ts';

/** A process of its own that sends requests as it is told over IPC, so that its work does not stand in the way. */
process.on('message', (job: LoadJob) => {
  run(job).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      throw error;
    },
  );
});

type Send = (index: number) => Promise<number>;

async function run(job: LoadJob): Promise<LoadResult> {
  const pool = new Pool(job.origin, { connections: job.connections, pipelining: 1 });
  const latencies: number[] = [];
  const failures: Record<string, number> = {};
  const send = sender(pool, job);
  const timed = async (index: number, since: number) => {
    const outcome = await send(index).catch(
      (error: Error & { code?: string }) => error.code ?? error.message,
    );
    if (outcome === 200) latencies.push(performance.now() - since);
    else failures[outcome] = (failures[outcome] ?? 0) + 1;
  };
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await (job.rate === undefined ? closedLoop(job, timed) : openLoop(job, job.rate, timed));
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  await pool.close();
  const at = (share: number) => percentile(latencies, share);
  return {
    operations: latencies.length,
    failures,
    seconds,
    latencyMs: { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) },
    cpuSeconds: (user + system) / 1_000_000,
  };
}

type Timed = (index: number, since: number) => Promise<void>;

async function closedLoop({ connections, seconds }: LoadJob, timed: Timed): Promise<void> {
  const deadline = performance.now() + seconds * 1_000;
  let index = 0;
  const worker = async () => {
    while (performance.now() < deadline) await timed(index++, performance.now());
  };
  await Promise.all(Array.from({ length: connections }, worker));
}

async function openLoop({ seconds }: LoadJob, rate: number, timed: Timed): Promise<void> {
  const startedAt = performance.now();
  const pending: Promise<void>[] = [];
  for (let index = 0; index < rate * seconds; index += 1) {
    const dueAt = startedAt + (index * 1_000) / rate;
    while (performance.now() < dueAt) await new Promise((resolve) => setTimeout(resolve, 1));
    pending.push(timed(index, dueAt));
  }
  await Promise.all(pending);
}

/** Below undici's conveniences, which cost more than the answer. */
function sender(pool: Pool, { method, paths, headers, bodies }: LoadJob): Send {
  return (index) =>
    new Promise((resolve, reject) => {
      let status = 0;
      pool.dispatch(
        {
          method,
          path: paths[index % paths.length] ?? '/',
          headers,
          body: method === 'GET' ? null : (bodies[index % bodies.length] ?? null),
        },
        {
          onRequestStart: () => {},
          onResponseStart: (_controller, statusCode) => {
            status = statusCode;
          },
          onResponseData: () => {},
          onResponseEnd: () => resolve(status),
          onResponseError: (_controller, error) => reject(error),
        },
      );
    });
}
