import type { SeenStore } from '../observations.ts';
import { isTestBank } from '../system/banks.ts';
import { centavos, type PaymentEvidence, sum, type TotalsShown } from '../verdict/evidence.ts';
import { confirmsMoney } from './bank-facts.ts';
import { breachOf, type Case, type Check } from './promise.ts';

/** Promise 15: no test charge is at a real bank, nor a real one at the test bank, and sums are real money alone. */
export const testsApart: Check = (run) => {
  const stores = new Map(run.observations.stores.map((store) => [store.id, store]));
  const misplaced = run.evidence.payments.flatMap(({ id, detail, knownAt }) => {
    const store = stores.get(detail.storeId);
    const wrong = store ? knownAt.filter((bank) => isTestBank(bank) !== store.test) : [];
    return wrong.map((bank) => breachOf(15, id, `a charge of ${store?.name} is at bank ${bank}`));
  });
  return [...misplaced, ...wrongSums(run, false), ...wrongSums(run, true)];
};

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
