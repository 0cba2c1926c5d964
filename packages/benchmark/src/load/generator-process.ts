import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { median, percentile } from '../statistics.ts';
import type { LoadJob, LoadResult } from './job.ts';

/** Sends requests on orders over IPC, in a process without other work. */
process.on('message', async (job: LoadJob) => process.send?.(await run(job)));

type Send = (index: number, since: number) => Promise<void>;

async function run(job: LoadJob): Promise<LoadResult> {
  const pool = new Pool(job.origin, { connections: job.connections, pipelining: 1 });
  const latencies: number[] = [];
  const failures: Record<string, number> = {};
  const send: Send = async (index, since) => {
    const outcome = await dispatch(pool, job, index).catch(
      (error: Error & { code?: string }) => error.code ?? error.message,
    );
    if (outcome === 200) latencies.push(performance.now() - since);
    else failures[outcome] = (failures[outcome] ?? 0) + 1;
  };
  const startedAt = performance.now();
  await (job.rate === undefined ? closedLoop(job, send) : openLoop(job, job.rate, send));
  const seconds = (performance.now() - startedAt) / 1_000;
  await pool.close();
  const times = { medianMs: median(latencies), p99Ms: percentile(latencies, 0.99) };
  return { operations: latencies.length, failures, seconds, ...times };
}

/** @returns whether the request with this number is still to be sent */
function deadlineOf({ until }: LoadJob): (index: number) => boolean {
  if ('requests' in until) return (index) => index < until.requests;
  const deadline = performance.now() + until.seconds * 1_000;
  return () => performance.now() < deadline;
}

async function closedLoop(job: LoadJob, send: Send): Promise<void> {
  const isWanted = deadlineOf(job);
  let next = 0;
  const worker = async () => {
    for (let index = next++; isWanted(index); index = next++) await send(index, performance.now());
  };
  await Promise.all(Array.from({ length: job.connections }, worker));
}

async function openLoop(job: LoadJob, rate: number, send: Send): Promise<void> {
  const isWanted = deadlineOf(job);
  const startedAt = performance.now();
  const pending: Promise<void>[] = [];
  for (let index = 0; isWanted(index); index += 1) {
    const dueAt = startedAt + (index * 1_000) / rate;
    while (performance.now() < dueAt) await delay(1);
    pending.push(send(index, dueAt));
  }
  await Promise.all(pending);
}

/** Uses undici's `dispatch`: its higher interfaces cost more than the response. */
function dispatch(
  pool: Pool,
  { method, paths, headers, tokens, bodies }: LoadJob,
  index: number,
): Promise<number> {
  const token = tokens?.[index % tokens.length];
  return new Promise((resolve, reject) => {
    let status = 0;
    pool.dispatch(
      {
        method,
        path: paths[index % paths.length] ?? '/',
        headers: token ? { ...headers, authorization: `Bearer ${token}` } : headers,
        body: bodies[index % bodies.length] ?? null,
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
