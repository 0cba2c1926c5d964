import assert from 'node:assert/strict';
import { readCursor } from '@payments/database/cursors';
import { txidOf } from '@payments/domain/identifiers';
import { defaultBank } from '@payments/pix/bank-settings';
import { parseBrCode } from '@payments/pix/brcode';
import { callbackSecretOf, callbackUrlOf } from '@payments/pix/callback';
import { createPixClient } from '@payments/pix/client';
import type { PixRefused } from '@payments/pix/errors';
import { pixOptions, pixSettings } from '@payments/pix/settings';
import { buildSimulator } from '@payments/pix-simulator/app';
import { type BankName, basePaths } from '@payments/pix-simulator/banks/all';
import { readEnvironment } from '@payments/runtime/environment';
import { eventually } from '@payments/testing/system';
import { Type } from '@sinclair/typebox';
import { expirePayment } from '../../src/charges/expire.ts';
import { reconcile } from '../../src/days/reconcile.ts';
import { decide, timeOutReview } from '../../src/decide.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out.ts';
import type { Bench } from '../at-bank.ts';
import { followCharges } from '../charges/follow-charges.ts';

/** The scenarios that every bank must bring to a good end. Each throws where it does not. */
export type Scenario = (world: World) => Promise<void>;

export type World = {
  psp: BankName;
  bench: Bench;
  /** Both clocks, ours and the bank's, go on by so much. */
  timePasses(seconds: number): Promise<void>;
};

const day = 86_400;

async function createOne({ bench }: World) {
  const [payment] = await bench.create(1);
  assert.ok(payment);
  return payment;
}

async function isStatus({ bench }: World, id: string, status: string) {
  assert.equal((await bench.payment(id)).status, status);
}

/** A scan of the list, when the bank can have listed what was just paid. */
async function scan(world: World) {
  await world.timePasses(60);
  return reconcile(world.bench.context);
}

async function follow({ bench: { context } }: World) {
  await followCharges(context);
}

async function codeAtCreation(world: World) {
  const { copyAndPaste } = await createOne(world);
  assert.ok(copyAndPaste, 'no code');
  assert.ok(parseBrCode(copyAndPaste)?.location, 'no dynamic code');
  const { status } = await world.bench.system.bank('/bank/read', { pixCopiaECola: copyAndPaste });
  assert.equal(status, 200);
}

async function approvedByCallback(world: World) {
  const { bench, psp } = world;
  await registered(world);
  const payment = await createOne(world);
  await bench.system.bank('/bank/faults', {});
  // PagBank's callback is registered by hand.
  if (psp === 'pagbank') registerByHand(world);
  await bench.pay(payment);
  await bench.system.waitForStatus(bench.store, payment.id, 'approved');
  await bench.faults();
}

function registerByHand({ bench: { system } }: World) {
  const url = callbackUrlOf(system.url, callbackSecretOf(defaultBank, 'secret'));
  system.simulator.bank.ledger.save({ webhook: { key: 'pix@example.com', url, createdAt: Date.now() } });
}

async function callbackLost(world: World) {
  const payment = await createOne(world);
  await world.bench.pay(payment);
  await scan(world);
  await isStatus(world, payment.id, 'approved');
}

async function lostChargeAnswer(world: World) {
  const { bench } = world;
  await bench.faults({ loseChargeAnswers: true });
  const created = await createOne(world);
  await bench.faults();
  bench.advance(2);
  await follow(world);
  const payment = await bench.payment(created.id);
  assert.ok(payment.copyAndPaste, 'no code');
  await bench.pay(payment);
  await scan(world);
  await isStatus(world, payment.id, 'approved');
}

async function expired(world: World) {
  const payment = await createOne(world);
  await world.timePasses(day + 121);
  await expirePayment(world.bench.context, payment);
  await isStatus(world, payment.id, 'not_approved');
}

async function cancelled(world: World) {
  const { bench } = world;
  const { id } = await createOne(world);
  const by = { name: null, via: 'api', reason: null, requestId: null } as const;
  await decide(bench.context, { paymentId: id, to: 'not_approved', by });
  await follow(world);
  const { body } = await bench.system.bank(`/bank/charges/${txidOf(id)}`);
  assert.equal(body.status, 'REMOVIDA_PELO_USUARIO_RECEBEDOR');
}

async function timedOut({ bench }: World) {
  const { id } = await bench.review();
  await timeOutReview(bench.context, id, new Date(bench.context.now().getTime() + 1_000));
  return id;
}

const refundOnce = [{ valor: '5.00', status: 'DEVOLVIDO' }];

async function isRefundedOnce(world: World, id: string) {
  const refunds = await world.bench.refundsAtBank(id);
  assert.deepEqual(
    refunds.map(({ valor, status }) => ({ valor, status })),
    refundOnce,
  );
  await isStatus(world, id, 'not_approved');
}

async function wrongAmountRefunded(world: World) {
  const id = await timedOut(world);
  await carryOutRefunds(world.bench.context, { limit: 10, paymentId: id });
  await isRefundedOnce(world, id);
}

async function lostRefundAnswer(world: World) {
  const { bench } = world;
  const id = await timedOut(world);
  await bench.faults({ loseRefundAnswers: true });
  await carryOutRefunds(bench.context, { limit: 10, paymentId: id });
  await isStatus(world, id, 'review');
  await bench.faults();
  bench.advance(3);
  await carryOutRefunds(bench.context, { limit: 10, paymentId: id });
  await isRefundedOnce(world, id);
}

/** The request never arrived: the bank has no such refund, and says so in its way. */
async function refundNotArrived(world: World) {
  const { bench } = world;
  const id = await timedOut(world);
  await bench.faults({ disconnect: true, only: ['putDevolucao'] });
  await carryOutRefunds(bench.context, { limit: 10, paymentId: id });
  await bench.faults();
  bench.advance(3);
  await carryOutRefunds(bench.context, { limit: 10, paymentId: id });
  await isRefundedOnce(world, id);
}

async function takenBack(world: World) {
  const { bench } = world;
  const payment = await createOne(world);
  const endToEndId = await bench.pay(payment);
  await scan(world);
  await bench.system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  await scan(world);
  assert.equal((await bench.payment(payment.id)).amount, 600);
}

async function quietLists(world: World) {
  const { bench } = world;
  await world.timePasses(3_600);
  await scan(world);
  await world.timePasses(3_600);
  assert.equal(await scan(world), 0);
  const cursor = await readCursor(bench.db, { bank: bench.context.bank, name: 'pix' });
  assert.ok(cursor && bench.context.now().getTime() - cursor.getTime() < 60_000, 'the cursor stays behind');
}

async function quietWeek(world: World) {
  await world.timePasses(7 * day);
  await quietLists(world);
}

async function tenDaysOutage(world: World) {
  const { bench } = world;
  await scan(world);
  const first = await createOne(world);
  await bench.pay(first);
  await world.timePasses(5 * day);
  const second = await createOne(world);
  await bench.pay(second);
  await bench.faults({ status: 503, only: ['listPix'] });
  await assert.rejects(reconcile(bench.context));
  await world.timePasses(5 * day);
  await bench.faults();
  await scan(world);
  for (const { id } of [first, second]) await isStatus(world, id, 'approved');
}

/** A client of a bank of its own. */
async function aside(
  { psp, bench: { system } }: World,
  bank: Parameters<typeof buildSimulator>[0],
  run: (client: ReturnType<typeof createPixClient>, app: ReturnType<typeof buildSimulator>) => Promise<void>,
  more: { now?: () => number; callsPerMinute?: number } = {},
) {
  const app = buildSimulator({ profile: psp, clientId: 'client', clientSecret: 'secret', ...bank });
  const url = (await app.listen({ port: 0, host: '127.0.0.1' })) + basePaths[psp];
  const settings = readEnvironment(Type.Object(pixSettings), { ...system.env, PIX_URL: url });
  const client = createPixClient({ ...pixOptions(settings, 600), ...more });
  try {
    await run(client, app);
  } finally {
    await client.close();
    await app.close();
  }
}

const charge = { amount: 100, expiresInSeconds: 60 };
const someTxid = (number: number) => String(number).padStart(32, '0');

async function tokenExpires(world: World) {
  let ahead = 0;
  await aside(
    world,
    {},
    async (client, app) => {
      await client.putCharge(someTxid(1), charge);
      app.bank.access.revokeAll();
      assert.ok(await client.getCharge(someTxid(1)), 'forgotten tokens');
      ahead = 400 * day * 1_000;
      assert.ok(await client.getCharge(someTxid(1)), 'expired tokens');
    },
    { now: () => Date.now() + ahead },
  );
}

async function scopeRefused(world: World) {
  await aside(world, { scopes: ['cob.write'] }, async (client) => {
    const refused = await client
      .getPix('E9999900420260101000012345678901')
      .catch((error: PixRefused) => error);
    assert.ok(refused && 'aboutAccess' in refused && refused.aboutAccess, `not about access: ${refused}`);
  });
}

async function registered({ psp, bench: { pix, system } }: World) {
  if (psp === 'pagbank') return;
  await eventually('the callback to be registered', async () =>
    (await pix.getCallback())?.startsWith(system.url) ? true : undefined,
  );
}

async function registrationAndProbe(world: World) {
  const { psp, bench } = world;
  await registered(world);
  // PagBank gives no scope for it: then it is said, and nothing breaks.
  if (psp === 'pagbank')
    return assert.rejects(bench.pix.registerCallback(bench.system.url), { aboutAccess: true });
  await bench.pix.registerCallback((await bench.pix.getCallback()) ?? '');
}

async function pacing(world: World) {
  await aside(
    world,
    {},
    async (client) => {
      const range = { from: new Date(Date.now() - 60_000), to: new Date(), page: 0 };
      const polls = Array.from({ length: 40 }, () => client.listPix(range).catch((error: Error) => error));
      // A creation that waited for polling would end like it: without a place.
      await client.putCharge(someTxid(2), charge);
      const outcomes = await Promise.all(polls);
      const refused = outcomes.filter((one) => one instanceof Error);
      assert.ok(
        refused.length > 0 && refused.every((one) => 'isNotAsked' in one && one.isNotAsked),
        String(refused[0]),
      );
    },
    { callsPerMinute: 60 },
  );
}

/** In their order: time goes on from one to the next. */
export const scenarios: Record<string, Scenario> = {
  'code at creation': codeAtCreation,
  registration: registrationAndProbe,
  callback: approvedByCallback,
  'callback lost': callbackLost,
  'lost PUT /cob': lostChargeAnswer,
  cancelled,
  'wrong amount': wrongAmountRefunded,
  'lost refund': lostRefundAnswer,
  'refund unheard': refundNotArrived,
  MED: takenBack,
  'quiet lists': quietLists,
  'quiet week': quietWeek,
  'ten days': tenDaysOutage,
  expired,
  'token expiry': tokenExpires,
  'scope refused': scopeRefused,
  pacing,
};
