import { storeOfFaults } from '../faults/one-store.ts';
import type { SeenStore } from '../observations.ts';
import { isTestBank } from '../system/banks.ts';
import { centavos, type PaymentEvidence, sum, type TotalsShown } from '../verdict/evidence.ts';
import { confirmsMoney } from './bank-facts.ts';
import { breachOf, type Case, type Check } from './promise.ts';

/** Promise 15: no test charge is at a real bank, nor a real one at the test bank, and sums are real money alone. */
export const testsApart: Check = (run) => {
  return [...misplaced(run), ...wrongSums(run, false), ...wrongSums(run, true)];
};

/** The store is the one that the charge names: a bank may have the charge of a payment that nobody committed. */
function misplaced({ observations, evidence }: Case) {
  const known = [...observations.stores, { name: storeOfFaults, test: false }];
  const stores = new Map(known.map((store) => [store.name, store]));
  const ids = new Map(evidence.payments.map(({ id }) => [id.replaceAll('-', ''), id]));
  return evidence.charges.flatMap(({ bank, txid, storeName = '' }) => {
    const store = stores.get(storeName);
    if (!store) return [breachOf(15, ids.get(txid), `a charge at bank ${bank} names no known store`)];
    if (isTestBank(bank) === store.test) return [];
    return [breachOf(15, ids.get(txid), `a charge of ${store.name} is at bank ${bank}`)];
  });
}

/** The totals of each store are the sum of its payments, and no store of the other kind is in them. */
function wrongSums({ observations, evidence }: Case, test: boolean) {
  const shown = test ? evidence.totals.test : evidence.totals.real;
  const ofKind = observations.stores.filter((store) => store.test === test);
  const strange = shown.filter(
    ({ storeId }) =>
      observations.stores.some(({ id }) => id === storeId) && !ofKind.some(({ id }) => id === storeId),
  );
  return [
    ...strange.map(({ storeId }) =>
      breachOf(15, undefined, `the totals with test=${test} have store ${storeId}`),
    ),
    ...ofKind.flatMap((store) => wrongSum(store, shown, evidence.payments)),
  ];
}

function wrongSum(
  { id, name }: SeenStore,
  shown: readonly TotalsShown[],
  payments: readonly PaymentEvidence[],
) {
  const kept = payments.filter(({ detail }) => detail.storeId === id && confirmsMoney(detail.status));
  const expected = sum(kept.map(({ detail }) => centavos(detail.amount)));
  const told = centavos(shown.find(({ storeId }) => storeId === id)?.approvedAmount ?? 0);
  return told === expected
    ? []
    : [breachOf(15, undefined, `the totals say ${told} centavos of ${name}, and its payments ${expected}`)];
}
