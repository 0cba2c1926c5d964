import type { PaymentBody, SeenStore } from '../account.ts';
import { until, type World } from '../load/world.ts';
import type { BankCharge, Evidence, PaymentDetail, PaymentEvidence } from './evidence.ts';

const atOnce = 6;
const pageLimit = 200;
// What is owed at the end takes its attempts, through breakers that are open.
const restMs = 100_000;

/** Asks all sides for every payment: those that were answered for, and those that only the lists show. */
export async function gatherEvidence(world: World): Promise<Evidence> {
  const lists = new Map<string, PaymentBody[]>();
  for (const store of world.account.stores) lists.set(store.id, await listAll(world, store));
  const ids = new Map<string, SeenStore>();
  for (const store of world.account.stores) {
    for (const { id } of [...store.payments, ...(lists.get(store.id) ?? [])]) ids.set(id, store);
  }
  const payments: PaymentEvidence[] = [];
  const waiting = ids.entries();
  const workers = Array.from({ length: atOnce }, async () => {
    for (const [id, store] of waiting) payments.push(await lookAt(world, store, id));
  });
  await Promise.all(workers);
  const { violations } = await ask<{ violations: unknown[] }>(world, `${world.bankUrl}/bank/violations`);
  return { payments, lists, violations };
}

async function lookAt(world: World, store: SeenStore, id: string): Promise<PaymentEvidence> {
  const { url, adminUrl, bankUrl, adminKey } = world;
  const read = await world.ask<PaymentBody>('read', `${url}/api-public/payments/${id}`, {
    token: store.token!,
  });
  const look = () =>
    world.ask<PaymentDetail>('look', `${adminUrl}/admin/payments/${id}`, { token: adminKey });
  const atRest = async () => {
    const { status, body } = await look();
    return status === 200 && isUnderWay(body) ? undefined : true;
  };
  await until(restMs, atRest, 1_000);
  const detail = await look();
  const bank = await world.ask<BankCharge>('bank', `${bankUrl}/bank/charges/${id.replaceAll('-', '')}`);
  const shown = detail.status === 200 ? detail.body : missing(id, read.body);
  return {
    id,
    read: { status: read.status ?? 0, body: read.body! },
    detail: shown,
    bank: bank.status === 200 ? bank.body : undefined,
  };
}

/** A refund goes on, or an event has not ended as a delivery. */
function isUnderWay({ refunds, events, deliveries, webhookUrl }: PaymentDetail): boolean {
  const ended = deliveries.filter(({ state }) => state !== 'pending').length;
  const open = refunds.filter(({ state }) => state === 'requested' || state === 'processing');
  return open.length > 0 || (typeof webhookUrl === 'string' && ended < events.length);
}

/** So that a payment that is not there can be told of like the others. */
function missing(id: string, body: PaymentBody | undefined): PaymentDetail {
  return {
    ...(body as PaymentBody),
    id,
    status: 'missing',
    events: [],
    pix: [],
    refunds: [],
    deliveries: [],
  };
}

async function listAll(world: World, store: SeenStore): Promise<PaymentBody[]> {
  const all: PaymentBody[] = [];
  for (let page = 1; ; page += 1) {
    const path = `${world.url}/api-public/payments?limit=${pageLimit}&page=${page}`;
    const { items } = await ask<{ items: PaymentBody[] }>(world, path, store.token);
    all.push(...items);
    if (items.length < pageLimit) return all;
  }
}

async function ask<Body>(world: World, url: string, token?: string): Promise<Body> {
  const answer = await world.ask<Body>('gather', url, token === undefined ? {} : { token });
  if (answer.status !== 200) throw new Error(`${url} was answered ${answer.status} when all was over`);
  return answer.body;
}
