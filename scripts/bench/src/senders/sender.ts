import { Agent } from 'undici';
import { type Job, newJob, type Request, signed } from './job.ts';

/** Requests under way at most, as the dispatcher has them by default. */
export const concurrency = 256;

/** A job queue, filled and worked off by one process. */
export type Queue = {
  fill(jobs: Job[]): Promise<void>;
  /** Works jobs off, `concurrency` at a time, until `pause`. */
  work(handle: (job: Job) => Promise<void>): Promise<void>;
  pause(): Promise<void>;
};

const agent = new Agent({ connections: concurrency, pipelining: 1 });

export async function post({ url, headers, body }: Request): Promise<void> {
  const { origin, pathname: path } = new URL(url);
  const answer = await agent.request({ origin, path, method: 'POST', headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
}

export type Command = { do: 'fill'; count: number; urls: string[] } | { do: 'work' } | { do: 'pause' };

/** Does what the harness says over IPC, and answers when it is done. */
export function serve(queue: Queue): void {
  process.on('message', async (command: Command) => {
    await obey(queue, command);
    process.send?.({ done: command.do });
  });
  process.send?.({ done: 'start' });
}

async function obey(queue: Queue, command: Command): Promise<void> {
  if (command.do === 'work') return queue.work((job) => post(signed(job)));
  if (command.do === 'pause') return queue.pause();
  const { count, urls } = command;
  const jobs = Array.from({ length: count }, (_, index) => newJob(urls[index % urls.length] ?? ''));
  return queue.fill(jobs);
}

/** @returns the jobs in parts that a statement can carry */
export function inParts(jobs: Job[], size = 1_000): Job[][] {
  return Array.from({ length: Math.ceil(jobs.length / size) }, (_, part) =>
    jobs.slice(part * size, (part + 1) * size),
  );
}
