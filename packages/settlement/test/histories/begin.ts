import { findPayment } from '@payments/database/payments/payments';
import { newId, txidOf } from '@payments/domain/identifiers';
import { bankIds } from './bank.ts';
import type { History, Subject } from './history.ts';
import { newKnowledge } from './knowledge.ts';
import { loseOne } from './lost.ts';
import { newModel } from './model.ts';
import { operate } from './operations.ts';
import type { Plan, Try, Work } from './plans.ts';
import { readService } from './service.ts';
import { chargeSeconds, type Store } from './store.ts';
import { newStory, type Story, type Tally } from './story.ts';
import { runKilled } from './take.ts';
import { graceSeconds, type World } from './world.ts';

type Planned = Plan['payments'][number];

/** Creates a history's stores and payments. */
export async function beginHistory(world: World, plan: Plan, tally: Tally): Promise<History> {
  for (const bank of world.banks) await bank.faults({});
  await world.skew(0);
  world.configure(plan.configured);
  await world.pause(plan.paused);
  const stores = await Promise.all(plan.stores.map(({ terms, banks }) => world.createStore(terms, banks)));
  const story = newStory();
  const subjects: Subject[] = [];
  for (const [at, planned] of plan.payments.entries())
    subjects.push(await begin(world, story, { name: 'AB'[at]!, store: stores[planned.store]!, planned }));
  for (const bank of world.banks) await bank.faults({});
  await Promise.all(stores.map(({ changeFees }) => changeFees()));
  world.context.recoversPayments = plan.lost?.recovers ?? false;
  const terms = { percent: null, fixed: null, reviewAbove: null };
  const lost =
    plan.lost && (await loseOne(world, { ...plan.lost, store: await world.createStore(terms, null) }));
  if (lost)
    story.note(
      `payment C (${lost.id}) at ${lost.bank} is lost${plan.lost?.recovers ? ', and may be found' : ''}`,
    );
  story.after(subjects);
  return { world, subjects, lost: lost ?? undefined, story, tally };
}

type Beginning = { name: string; store: Store; planned: Planned };

async function begin(world: World, story: Story, { name, store, planned }: Beginning): Promise<Subject> {
  const { id: storeId, terms, banks } = store;
  const { amount: charged } = planned;
  const closesAt = world.context.now().getTime() + (chargeSeconds + graceSeconds) * 1_000;
  const id = await created(world, story, { name, store, planned });
  const txid = txidOf(id);
  const [said, ...charges] = await Promise.all([
    readService(world.context.db, id),
    ...world.banks.map((bank) => bank.charge(txid)),
  ]);
  const model = newModel(charged, terms);
  return {
    ...{ name, id, storeId, txid, closesAt, model, banks, said, charges },
    ...newKnowledge(),
    reviewSince: 0,
  };
}

async function created(world: World, story: Story, { name, store, planned }: Beginning): Promise<string> {
  const { terms, banks } = store;
  const { amount, tries } = planned;
  const id = tries.length === 0 ? (await store.create(amount)).id : newId();
  story.creation({ name, id, charged: amount, terms, banks });
  for (const [at, one] of tries.entries()) {
    const operation = { do: 'create', paymentId: id, storeId: store.id, amount, isRepeated: at > 0 } as const;
    const crash = at === tries.length - 1 ? undefined : one.crash;
    await suffer(world, one);
    const outcome = crash
      ? await runKilled(world, operation, crash)
      : await operate(world.context, operation);
    story.note(tell(one, outcome.end));
    if (await findPayment(world.context.db, id)) break;
    await scanBetween(world, one.after);
  }
  return id;
}

async function suffer(world: World, { faults }: Try): Promise<void> {
  world.front.listen();
  for (const [place, named] of faults.entries()) await world.bank(place).faults(named);
}

function tell({ faults, crash, after }: Try, end: string): string {
  const at = faults.map((named, place) => `${bankIds[place]} ${JSON.stringify(named)}`);
  const killed = crash && end === 'killed' ? ` at ${crash.at} ${crash.n}` : '';
  const more = end === 'killed' && after.length > 0 ? `, then ${after.map(nameOf).join(', ')}` : '';
  return `created amid ${at.join(', ')}: ${end}${killed}${more}`;
}

const nameOf = (work: Work) => (work.kind === 'scan' ? `${work.scan} at ${bankIds[work.bank]}` : work.kind);

/** The next try comes a little later, and the dispatchers work meanwhile. */
async function scanBetween(world: World, works: readonly Work[]): Promise<void> {
  if (works.length > 0) await world.pass(20);
  for (const work of works)
    if (work.kind === 'scan')
      await operate(world.context, { do: 'scan', scan: work.scan, bank: bankIds[work.bank]! });
}
