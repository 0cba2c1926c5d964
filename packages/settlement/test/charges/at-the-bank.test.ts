import { listChargeProblemsOf } from '@payments/database/charges/problems';
import { txidOf } from '@payments/domain/identifiers';
import t from 'tap';
import { reconcile } from '../../src/days/reconcile.ts';
import { decide, timeOutReview } from '../../src/decide.ts';
import { settleCharge } from '../../src/pix/settle-charge.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out.ts';
import { chargeOf, openBench } from '../at-bank.ts';
import { followCharges } from './follow-charges.ts';

const bench = await openBench(t, async (b, id) => settleCharge(b.context, id, await chargeOf(b, id)));
const { context, db, pix, system } = bench;

const follow = () => followCharges(context);

t.test('a cancellation that the bank refuses while the charge is ATIVA is shown and retried', async (t) => {
  const [payment] = await bench.create(1);
  const { id } = payment!;
  const by = { name: null, via: 'api', reason: null, requestId: null } as const;
  await decide(context, { paymentId: id, to: 'not_approved', by });
  await bench.faults({ status: 400, only: ['patchCob'] });
  for (let tries = 1; tries <= 3; tries += 1) {
    t.equal(await follow(), 1);
    t.match(await listChargeProblemsOf(db, id), [
      { work: 'cancel', tries, error: { code: 'refused', detail: /^400/ } },
    ]);
    t.equal((await bench.payment(id)).chargeState, 'cancelling');
    t.equal(await follow(), 0, 'not at once');
    bench.advance(2 ** tries);
  }
  await bench.faults();
  t.equal(await follow(), 1);
  t.same(await listChargeProblemsOf(db, id), []);
  t.equal((await chargeOf(bench, id)).status, 'REMOVIDA_PELO_USUARIO_RECEBEDOR');
});

t.test('the pauses between checks of EM_PROCESSAMENTO grow to an hour', async (t) => {
  bench.stopClock(t);
  const { id } = await bench.review();
  await timeOutReview(context, id, new Date(context.now().getTime() + 1_000));
  await bench.faults({ slowRefundsMs: 600_000 });
  const pauses: number[] = [];
  for (let asked = 0; asked < 12; asked += 1) {
    await carryOutRefunds(context, { limit: 10, paymentId: id });
    const refunds = db.selectFrom('refunds').select('tryAt').where('paymentId', '=', id);
    const { tryAt } = await refunds.executeTakeFirstOrThrow();
    pauses.push((tryAt!.getTime() - context.now().getTime()) / 1_000);
    bench.advance(pauses.at(-1)! + 1);
  }
  await bench.faults();
  t.same(pauses, [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600]);
});

t.test('after a fortnight the list is read in slices of four days at most', async (t) => {
  await reconcile(context);
  bench.advance(14 * 86_400);
  const windows: number[] = [];
  const listPix: typeof pix.listPix = (range) => {
    windows.push((range.to.getTime() - range.from.getTime()) / 86_400_000);
    return pix.listPix(range);
  };
  await reconcile({ ...context, pix: { ...pix, listPix } });
  t.equal(windows.length, 4);
  t.ok(
    windows.every((days) => days <= 4),
    String(windows),
  );
});

t.test('the payer sees the store’s name, in letters that every bank takes', async (t) => {
  const long = 'Loja '.repeat(39).trim();
  for (const [name, seen] of [
    ['Padaria da Ana', 'Padaria da Ana'],
    ['Padaria “Pão & Cia” – Centro', 'Padaria "Pão & Cia" - Centro'],
    [long, long],
  ] as const) {
    const { id: storeId, token } = await system.createStore({ name });
    await bench.faults({ status: 400, only: ['putCob'] });
    const late = await system.api('/api-public/payments', { token, body: { amount: 10 } });
    await bench.faults();
    const now = await system.api('/api-public/payments', { token, body: { amount: 10 } });
    bench.advance(1);
    await follow();
    for (const { body } of [now, late]) {
      const charge = await system.bank(`/bank/charges/${txidOf(body.id)}`);
      t.notOk(charge.body.solicitacaoPagador, 'nobody gave a message');
      t.same(charge.body.infoAdicionais, [
        { nome: 'Loja', valor: seen },
        { nome: 'ID da loja', valor: storeId },
      ]);
    }
  }
});
