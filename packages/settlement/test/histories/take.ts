import { untilIdle } from '@payments/testing/sessions';
import { medOf, operationOf } from './asked.ts';
import type { History } from './history.ts';
import { type Operation, type Outcome, operate } from './operations.ts';
import type { Crash, Step, Work } from './steps.ts';
import type { World } from './world.ts';

/** A call of the service's code, and its end. */
export type Done = { operation: Operation; outcome: Outcome };

type WorkStep = Extract<Step, { kind: Work['kind'] | 'together' }>;

const kinds: readonly Step['kind'][] = ['scan', 'tell', 'decide', 'refund', 'anew', 'together'];

export function isWork(step: Step): step is WorkStep {
  return kinds.includes(step.kind);
}

/** Runs a step of the service's code: one call, two at once, or one that is killed. */
export async function work({ world, subjects, story }: History, step: WorkStep): Promise<Done[]> {
  const works = step.kind === 'together' ? step.works : [step];
  const operations = works.flatMap((one) => operationOf(one, subjects) ?? []);
  const crash = step.kind === 'together' ? undefined : step.crash;
  const runs = operations.map(async (operation) => {
    const outcome = crash
      ? await runKilled(world, operation, crash)
      : await operate(world.context, operation);
    return { operation, outcome };
  });
  const done = await Promise.all(runs);
  for (const { outcome } of done) if (outcome.end !== 'done') story.note(`${outcome.end} ${outcome.says}`);
  return done;
}

/** Runs it in a process that ends at a statement or at a call to the bank. */
async function runKilled(world: World, operation: Operation, { at, n }: Crash): Promise<Outcome> {
  const { workers, front } = world;
  const offsetMs = world.offsetMs();
  const isCall = at === 'call' || at === 'answer';
  if (isCall) front.listen({ at, n, kill: workers.kill });
  const outcome = await workers.run({ operation, offsetMs, ...(isCall ? {} : { kill: { at, n } }) });
  if (outcome.end !== 'killed') return outcome;
  // The database ends a lost process's session a moment later.
  await untilIdle(world.databaseUrl, 'history-worker');
  return outcome;
}

/** Applies a step outside of the service. */
export async function change(
  { world, subjects, story }: History,
  step: Exclude<Step, WorkStep>,
): Promise<Done[]> {
  const { bank } = world;
  if (step.kind === 'pass') await world.pass(step.seconds);
  else if (step.kind === 'skew') await world.skew(step.seconds);
  else if (step.kind === 'faults') await bank.faults(step.faults);
  else if (step.kind === 'pay') {
    const { code, model } = subjects[step.of]!;
    const amounts = { exact: model.charged, under: Math.ceil(model.charged / 2), over: model.charged + 333 };
    await bank.pay(code, amounts[step.amount]);
  } else {
    const taken = medOf(subjects[step.of]!, step);
    if (taken) await bank.med({ ...taken, slowMs: step.slow ? 600_000 : 0, refused: step.refused });
    else story.note('nothing to take');
  }
  return [];
}
