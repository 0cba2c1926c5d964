import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Operation, Outcome } from './operations.ts';
import type { Order, Setup } from './worker.ts';

/** A standby process, replaced after a kill. */
export type Workers = {
  run(order: Order): Promise<Outcome>;
  /** Kills the working process. */
  kill(): void;
  close(): Promise<void>;
};

export type { Operation };

export function startWorkers(setup: Setup): Workers {
  let standing = start(setup);
  return {
    run: async (order) => {
      const child = await standing;
      child.send(order);
      const outcome = await outcomeOf(child);
      if (outcome.end === 'killed') standing = start(setup);
      return outcome;
    },
    kill: () => void standing.then((child) => child.kill('SIGKILL')),
    close: async () => {
      const child = await standing;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function start(setup: Setup): Promise<ChildProcess> {
  const module = fileURLToPath(new URL('worker.ts', import.meta.url));
  const child = fork(module, [JSON.stringify(setup)], { execArgv: ['--conditions=public-payments'] });
  await once(child, 'message');
  return child;
}

function outcomeOf(child: ChildProcess): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    child.once('exit', () => resolve({ end: 'killed', says: '' }));
    child.once('message', (answer: Outcome | { error: string }) => {
      child.removeAllListeners('exit');
      if ('error' in answer) reject(new Error(answer.error));
      else resolve(answer);
    });
  });
}
