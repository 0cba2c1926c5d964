import { listChargeProblemsOf } from '@payments/database/charges/problems';
import { txidOf } from '@payments/domain/identifiers';
import type { Charge } from '@payments/pix/client';
import tap, { type Test } from 'tap';
import { settleSetAside } from '../../src/charges/settle-set-aside.ts';
import { settleTold } from '../../src/pix/settle-told.ts';
import { chargeOf, openBench } from '../at-bank.ts';

// A charge that can't be settled is kept and shown, retried with growing pauses, and settled when possible.
const bench = await openBench(tap, async () => {});
const { context, db, pix } = bench;
const aside = { limit: 10, leaseMs: 10_000 };
const problems = (id: string) => listChargeProblemsOf(db, id);

/** A context whose bank shows every charge differently. */
const where = (show: (charge: Charge) => Charge | null) => ({
  ...context,
  pix: { ...pix, getCharge: async (txid: string) => show((await pix.getCharge(txid))!) },
});

async function told() {
  const [payment] = await bench.create(1);
  const endToEndId = await bench.pay(payment!);
  return { id: payment!.id, callback: [{ txid: txidOf(payment!.id), endToEndIds: [endToEndId] }] };
}

/** The bank contradicts itself at first: the charge is kept, shown, retried and finally settled. */
async function comesRight(t: Test, at: ReturnType<typeof where>, code: string) {
  const { id, callback } = await told();
  await settleTold(at, callback);
  t.match(await problems(id), [{ work: 'settle', tries: 1, error: { code } }], 'shown');
  t.match(
    bench.lines.findLast(({ msg }) => msg === 'charge set aside'),
    { level: 50, paymentId: id },
    'alerted',
  );
  t.equal(await settleSetAside(at, aside), 0, 'not at once');
  for (const [tries, seconds] of [
    [2, 11],
    [3, 21],
  ] as const) {
    bench.advance(seconds);
    t.equal(await settleSetAside(at, aside), 1);
    t.match(await problems(id), [{ tries, error: { code } }], 'kept');
  }
  t.equal((await bench.payment(id)).status, 'pending');
  bench.advance(30);
  t.equal(await settleSetAside(context, aside), 0, 'the pauses grow');
  bench.advance(11);
  t.equal(await settleSetAside(context, aside), 1);
  t.equal((await bench.payment(id)).status, 'approved');
  t.same(await problems(id), []);
}

tap.test('a callback names a Pix that the charge does not show', (t) =>
  comesRight(
    t,
    where((charge) => ({ ...charge, pix: [] })),
    'pix_not_in_charge',
  ),
);

tap.test('a callback names a charge that the bank does not know', (t) =>
  comesRight(
    t,
    where(() => null),
    'charge_unknown',
  ),
);

tap.test('a charge shows a Pix of another payment', async (t) => {
  const other = await told();
  await settleTold(context, other.callback);
  const [strange] = (await chargeOf(bench, other.id)).pix;
  await comesRight(
    t,
    where((charge) => ({ ...charge, pix: [strange!] })),
    'pix_misplaced',
  );
  t.equal((await bench.payment(other.id)).status, 'approved', 'which keeps it');
});
