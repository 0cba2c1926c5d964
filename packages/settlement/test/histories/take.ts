import { untilIdle } from '@payments/testing/sessions';
import { medOf, operationOf } from './asked.ts';
import { bankIds, type Faults, lies } from './bank.ts';
import type { History, Subject } from './history.ts';
import type { Lost } from './lost.ts';
import { type Operation, type Outcome, operate } from './operations.ts';
import type { Crash, Step, Work } from './plans.ts';
import type { World } from './world.ts';

/** A call of the service's code, and its end. */
export type Done = { operation: Operation; outcome: Outcome };

type WorkStep = Extract<Step, { kind: Work['kind'] | 'together' }>;

const kinds: readonly Step['kind'][] = [
  'scan',
  'look',
  'refundLost',
  'tell',
  'decide',
  'refund',
  'anew',
  'together',
];

export function isWork(step: Step): step is WorkStep {
  return kinds.includes(step.kind);
}

/** Runs a step of the service's code: one call, two at once, or one that is killed. */
export async function work({ world, subjects, lost, story }: History, step: WorkStep): Promise<Done[]> {
  const works = step.kind === 'together' ? step.works : [step];
  const operations = works.flatMap((one) => operationOf(one, { subjects, lost }) ?? []);
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
export async function runKilled(world: World, operation: Operation, { at, n }: Crash): Promise<Outcome> {
  const { workers, front } = world;
  const [offsetMs, configured] = [world.offsetMs(), world.configured()];
  const recovers = world.context.recoversPayments;
  const isCall = at === 'call' || at === 'answer';
  if (isCall) front.listen({ at, n, kill: workers.kill });
  const outcome = await workers.run({
    operation,
    offsetMs,
    configured,
    recovers,
    ...(isCall ? {} : { kill: { at, n } }),
  });
  if (outcome.end !== 'killed') return outcome;
  // The database ends a lost process's session a moment later.
  await untilIdle(world.databaseUrl, 'history-worker');
  return outcome;
}

/** Applies a step outside of the service. */
export async function change(
  { world, subjects, lost, story }: History,
  step: Exclude<Step, WorkStep>,
): Promise<Done[]> {
  if (step.kind === 'pass') await world.pass(step.seconds);
  else if (step.kind === 'skew') await world.skew(step.seconds);
  else if (step.kind === 'faults')
    await world.bank(step.bank).faults(ofThese(step.faults, { subjects, lost }));
  else if (step.kind === 'banks') world.configure(step.configured);
  else if (step.kind === 'pay') {
    const paid = step.of < 2 ? await pay(world, subjects[step.of]!, step) : await payLost(world, lost, step);
    story.note(paid ? `at bank ${paid}` : 'no code to pay');
  } else {
    const taken = medOf(step.of < 2 ? subjects[step.of]! : lost, step);
    const more = { slowMs: step.slow ? 600_000 : 0, refused: step.refused };
    if (taken) await world.bank(bankIds.indexOf(taken.bank)).med({ ...taken, ...more });
    story.note(taken ? `at bank ${taken.bank}` : 'nothing to take');
  }
  return [];
}

/** Lies are about the history's own charges. */
function ofThese(faults: Faults, { subjects, lost }: Pick<History, 'subjects' | 'lost'>): Faults {
  if (!lies.some((name) => name in faults)) return faults;
  // The lists are all that tells of a lost charge, and are not read for ever.
  const isListed = (faults.only as string[] | undefined)?.includes('listPix') ?? true;
  const txids = subjects.map(({ txid }) => txid);
  return { ...faults, charges: isListed || !lost ? txids : [...txids, lost.txid] };
}

/**
 * A customer pays the code that the service shows. A leftover is what nobody can pay: a charge of another bank, whose
 * code was never shown.
 * @returns the bank; undefined if there is no such code
 */
async function pay(
  world: World,
  { charges, model: { charged }, said }: Subject,
  { amount, leftover }: Step & { kind: 'pay' },
): Promise<string | undefined> {
  const left = charges.find(({ bank, code }) => bank !== said.bank && code !== '');
  const code = leftover ? left?.code : said.code;
  const bank = leftover ? left?.bank : said.bank;
  if (!code || !bank) return undefined;
  await world.bank(bankIds.indexOf(bank)).pay(code, amountsOf(charged)[amount]);
  return bank;
}

async function payLost(world: World, lost: Lost | undefined, { amount }: Step & { kind: 'pay' }) {
  if (!lost) return undefined;
  await world.bank(bankIds.indexOf(lost.bank)).pay(lost.code, amountsOf(lost.charged)[amount]);
  return lost.bank;
}

const amountsOf = (charged: number) => ({
  exact: charged,
  under: Math.ceil(charged / 2),
  over: charged + 333,
});
