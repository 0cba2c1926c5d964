import type { Answer } from '../ask.ts';
import { readOn } from '../load/load.ts';
import { until, type World } from '../load/world.ts';
import type { FeedItem, FeedReader, PaymentBody, SeenStore } from '../observations.ts';
import { type BankId, bankIds, bankOfCode } from '../system/banks.ts';
import {
  allEventsOf,
  type BankCharge,
  type ChargeAtBank,
  type Evidence,
  type Leftover,
  type OfEitherKind,
  type PaymentDetail,
  type PaymentEvidence,
  type RefundShown,
  type TotalsShown,
  type UnmatchedShown,
} from './evidence.ts';

const atOnce = 6;
const pageLimit = 200;
// Refunds owed at the end take their attempts, through open breakers. All payments share this time, and what is not at rest
// by then is judged as it is.
const restMs = 100_000;
// How long the last callbacks of the bank, or a scan in their place, may take.
const hearingMs = 30_000;
// The first look at what a bank may have taken unheard comes after 15 s.
const removedAfterMs = 30_000;

/** Asks all sides for every payment: those with a create response, and those that only lists show. */
export async function collectEvidence(world: World): Promise<Evidence> {
  const ids = new Map<string, SeenStore>();
  for (const store of world.observations.stores) {
    for (const { id } of [...store.payments, ...(await listOf(world, store))]) ids.set(id, store);
  }
  const payments: PaymentEvidence[] = [];
  const waiting = ids.entries();
  const times = { restBy: Date.now() + restMs, heardBy: Date.now() + hearingMs };
  const workers = Array.from({ length: atOnce }, async () => {
    for (const [id, store] of waiting) payments.push(await lookAt(world, store, id, times));
  });
  await Promise.all(workers);
  const lists = new Map<string, PaymentBody[]>();
  for (const store of world.observations.stores) lists.set(store.id, await listOf(world, store));
  const feeds = new Map<string, FeedItem[]>();
  for (const store of world.observations.stores) feeds.set(store.id, await readFeeds(world, store));
  const violations: unknown[] = [];
  const charges: ChargeAtBank[] = [];
  for (const id of bankIds) {
    charges.push(...(await chargesAt(world, id)));
    const noted = await world.bank<{ violations: unknown[] }>(id, 'gather', '/bank/violations');
    violations.push(...bodyOf(noted).violations);
  }
  const refundsNotMade = await ofBothKinds<RefundShown>(world, '/admin/refunds');
  const unmatched = await ofBothKinds<UnmatchedShown>(world, '/admin/unmatched-pix');
  const [real, test] = [await totalsOf(world, false), await totalsOf(world, true)];
  return { payments, charges, lists, feeds, refundsNotMade, unmatched, violations, totals: { real, test } };
}

/** @returns a list of the administration's, with what it shows of test stores alone */
async function ofBothKinds<Item>(world: World, path: string): Promise<OfEitherKind<Item>[]> {
  const of = async (isTest: boolean) => {
    const items = await listAll<Item>((page) => world.admin('gather', `${path}?test=${isTest}&${page}`));
    return items.map((item) => ({ ...item, isTest }));
  };
  return [...(await of(false)), ...(await of(true))];
}

async function chargesAt(world: World, bank: BankId): Promise<ChargeAtBank[]> {
  type Shown = { txid: string; infoAdicionais: { nome: string; valor: string }[] };
  const listed = await world.bank<{ charges: Shown[] }>(bank, 'gather', '/bank/charges');
  return bodyOf(listed).charges.map(({ txid, infoAdicionais }) => {
    const storeName = infoAdicionais.find(({ nome }) => nome === 'Loja')?.valor;
    return { bank, txid, storeName };
  });
}

async function totalsOf(world: World, test: boolean): Promise<TotalsShown[]> {
  const path = `/admin/totals?by=store${test ? '&test=true' : ''}`;
  return bodyOf(await world.admin<{ items: TotalsShown[] }>('gather', path)).items;
}

/** Follows a store's feed to its end, and reads it once more from its begin. @returns the second reading */
async function readFeeds(world: World, store: SeenStore): Promise<FeedItem[]> {
  const fresh: FeedReader = { next: undefined, items: [] };
  const { followed } = store;
  for (const reader of [followed, fresh]) while (await readOn(world, store, reader));
  return fresh.items;
}

const listOf = (world: World, { token }: SeenStore) =>
  listAll<PaymentBody>((page) => world.api('gather', `/api-public/payments?${page}`, { token }));

/** @returns the items of all pages of a list */
async function listAll<Item>(read: (page: string) => Promise<Answer<{ items: Item[] }>>): Promise<Item[]> {
  const all: Item[] = [];
  for (let page = 1; ; page += 1) {
    const { items } = bodyOf(await read(`limit=${pageLimit}&page=${page}`));
    all.push(...items);
    if (items.length < pageLimit) return all;
  }
}

function bodyOf<Body>({ status, body }: Answer<Body>): Body {
  if (status === 200) return body;
  throw new Error(`asked when all was over, and answered ${status}: ${JSON.stringify(body)}`);
}

async function lookAt(
  world: World,
  store: SeenStore,
  id: string,
  { restBy, heardBy }: { restBy: number; heardBy: number },
): Promise<PaymentEvidence> {
  const look = () => world.admin<PaymentDetail>('look', `/admin/payments/${id}`);
  const atRest = async () => {
    const detail = await look();
    const { bank, leftovers } = await lookAtBanks(world, id, detail.body);
    if (detail.status === 200 && (isUnderWay(detail.body) || isLeft(detail.body, leftovers)))
      return undefined;
    const isHeard = detail.status !== 200 || !bank || hasHeard(detail.body, bank);
    return isHeard || Date.now() > heardBy ? true : undefined;
  };
  await until(restBy - Date.now(), atRest, 1_000);
  const detail = await look();
  const { token } = store;
  const read = await world.api<PaymentBody>('read', `/api-public/payments/${id}`, { token });
  const shown = detail.status === 200 ? detail.body : missing(id, read.body);
  return {
    id,
    read: { status: read.status ?? 0, body: read.body! },
    detail: shown,
    ...(await lookAtBanks(world, id, shown)),
  };
}

/** True if the service has heard of all the bank's Pix and returns. Its reaction is judged later. */
function hasHeard(detail: PaymentDetail, { pix }: BankCharge): boolean {
  const known = new Set(detail.pix.map(({ endToEndId }) => endToEndId));
  const ended = new Set(detail.refunds.filter(({ state }) => isEnd(state)).map(({ id }) => id));
  return pix.every(
    ({ endToEndId, devolucoes }) => known.has(endToEndId) && devolucoes.every(({ id }) => ended.has(id)),
  );
}

const isEnd = (state: string) => state === 'refunded' || state === 'failed';

/** True if a refund is in progress or waits for another order, or an event waits to be published or delivered. */
export function isUnderWay(detail: PaymentDetail): boolean {
  const { refunds, deliveries, webhookUrl } = detail;
  const ended = deliveries.filter(({ state }) => state !== 'pending').length;
  const open = refunds.some(({ state, orderAgainAt }) => !isEnd(state) || orderAgainAt !== null);
  const isUntold = typeof webhookUrl === 'string' && ended < detail.events.length;
  return open || isUntold || allEventsOf(detail).some(({ published }) => !published);
}

/** True if another bank still has the charge, and may yet be asked to remove it. */
function isLeft({ createdAt }: PaymentDetail, leftovers: readonly Leftover[]): boolean {
  const isEarly = Date.now() < Date.parse(createdAt) + removedAfterMs;
  return isEarly && leftovers.some(({ status }) => status === 'ATIVA');
}

/** @returns a placeholder for a missing payment, so that it is reported like the others */
function missing(id: string, body: PaymentBody | undefined): PaymentDetail {
  return {
    ...(body as PaymentBody),
    id,
    status: 'missing',
    charged: 0,
    events: [],
    updates: [],
    pix: [],
    refunds: [],
    deliveries: [],
  };
}

/**
 * Asks every bank for a payment's charge. The payment's bank is the one of its code; without a code it is the one that
 * was paid.
 */
export async function lookAtBanks(
  world: World,
  id: string,
  detail: Pick<PaymentDetail, 'qrCopyPaste'> | undefined,
): Promise<Pick<PaymentEvidence, 'bank' | 'leftovers' | 'knownAt'>> {
  const path = `/bank/charges/${id.replaceAll('-', '')}`;
  const answers = await Promise.all(
    bankIds.map(async (bank) => ({ bank, ...(await world.bank<BankCharge>(bank, 'bank', path)) })),
  );
  const known = answers.flatMap(({ bank, status, body }) => (status === 200 ? { bank, charge: body } : []));
  const shown = bankOfCode(detail?.qrCopyPaste ?? '');
  const own =
    known.find(({ bank }) => bank === shown) ?? known.find(({ charge }) => charge.pix.length > 0) ?? known[0];
  const others = known.filter((one) => one !== own);
  const elsewhere = others.flatMap(({ charge }) => charge.pix.map((pix) => ({ ...pix, isElsewhere: true })));
  return {
    bank: own && { ...own.charge, pix: [...own.charge.pix, ...elsewhere] },
    knownAt: known.map(({ bank }) => bank),
    leftovers: others.map(({ bank, charge: { status } }) => ({ bank, status })),
  };
}
