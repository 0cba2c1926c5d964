import { listChargeProblems } from '@payments/database/charges/problems';
import { listUnmatchedPix } from '@payments/database/charges/unmatched-pix';
import { newId, txidOf } from '@payments/domain/identifiers';
import { readCallback } from '@payments/pix/callback';
import type { Charge, PixClient, ReceivedPix } from '@payments/pix/client';
import { settleSetAside } from '../../src/charges/settle-set-aside.ts';
import { reconcile } from '../../src/days/reconcile.ts';
import { toldOf } from '../../src/pix/on-record.ts';
import { settleTold } from '../../src/pix/settle-told.ts';
import { type Ending, openBench } from '../at-bank.ts';

const page = { page: 1, limit: 50 };

/** A bank whose answers differ from what it tells by callbacks and lists. */
export async function openTold(t: Ending) {
  const bench = await openBench(t, ({ context }) => reconcile(context), {
    CHARGE_EXPIRES_IN_SECONDS: '86400',
  });
  const { context, db, system, pix } = bench;
  let offset = 0;

  /** A context whose bank answers some calls otherwise. */
  const where = (other: Partial<PixClient>) => ({ ...context, pix: { ...pix, ...other } });
  const showing = (show: (pix: ReceivedPix[]) => ReceivedPix[]) => {
    const shown = (charge: Charge | null) => charge && { ...charge, pix: show(charge.pix) };
    return where({ getCharge: async (txid) => shown(await pix.getCharge(txid)) });
  };
  const timePasses = (seconds: number) => {
    bench.advance(seconds);
    offset += seconds;
    system.simulator.bank.clock.setOffset(offset * 1_000);
  };
  const entriesOf = async (id: string, change: Change) => {
    const { body } = await system.bank(`/bank/charges/${txidOf(id)}`);
    const pixOf = (entry: Record<string, unknown>) => change({ ...entry, txid: txidOf(id) });
    return readCallback({ pix: body.pix.map(pixOf) });
  };
  /** The bank's callback of a charge as it is now. */
  const callbackOf = async (id: string, change: Change = (entry) => entry) =>
    toldOf(await entriesOf(id, change));

  return {
    ...{ bench, where, showing, timePasses, callbackOf },
    withoutReturns: showing((all) => all.map((one) => ({ ...one, refunds: [] }))),
    withoutPix: showing(() => []),
    unmatched: async () => (await listUnmatchedPix(db, page)).items.map(({ endToEndId }) => endToEndId),
    problems: async () => (await listChargeProblems(db, page)).items,
    /** The bank's list, which has the charge as it is now. */
    listOf: async (id: string, change: Change) => {
      const listed = await entriesOf(id, change);
      return where({ listPix: async () => ({ ...listed, pages: 1 }) });
    },
    /** Tries again what was set aside. */
    tryAgain: async (at = context) => {
      timePasses(16 * 60);
      await settleSetAside(at, { limit: 50, leaseMs: 1_000 });
    },
    approved: async () => {
      const [payment] = await bench.create(1);
      const endToEndId = await bench.pay(payment!);
      await settleTold(context, await callbackOf(payment!.id));
      return { id: payment!.id, endToEndId };
    },
    /** A charge of ours without a payment, as after a restore, and how to pay it. */
    lost: async () => {
      const id = newId();
      const terms = { amount: 1_000, expiresInSeconds: 86_400, storeId: bench.store.id };
      const { copyAndPaste } = await pix.putCharge(txidOf(id), terms);
      const pay = async () =>
        (await system.bank('/bank/pay', { pixCopiaECola: copyAndPaste })).body.endToEndId as string;
      return { id, pay };
    },
  };
}

type Change = (entry: Record<string, unknown>) => object;
