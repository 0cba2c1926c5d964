import { type AdministratorTransition, mayTransition, paymentStatuses } from '@payments/domain/status';
import t from 'tap';
import { decisionName, movesOf } from '../../../src/administration/payments/names.ts';

/** Every decision has its words. The compiler finds a missing entry, and this test the type that lost one. */
const amounts = { charged: 1_000, approvable: 1_000 };

t.test('a table by transitions with one left out does not compile', async () => {
  // @ts-expect-error: the other transitions of an administrator are missing
  const incomplete: Record<AdministratorTransition, string> = { 'review approved': 'Pagamento aprovado' };
  void incomplete;
});

for (const from of paymentStatuses) {
  const allowed = paymentStatuses.filter((to) => mayTransition(from, to, 'administrator'));

  t.test(`${from}: a button for each transition of an administrator, in the contract's order`, async (t) => {
    const moves = movesOf({ status: from, charged: amounts.charged }, amounts.approvable);
    t.strictSame(
      moves.map(({ to }) => to),
      allowed,
    );
    for (const { to, label } of moves) t.not(label, to, 'in words');
  });

  t.test(`${from}: a name for each decision, and for no other change`, async (t) => {
    const named = paymentStatuses.filter((to) => decisionName(from, to) !== undefined);
    t.strictSame(named, allowed);
  });
}

t.test('an approval of another amount names both', async (t) => {
  const [approval] = movesOf({ status: 'review', charged: 10_000 }, 500);
  t.match(approval?.label, /^Aprovar por R\$\s5,00; a cobrança era de R\$\s100,00$/);
});

t.test('what is no pair of statuses names no decision', async (t) => {
  for (const [from, to] of [['payment-created'], ['toString'], ['review', undefined], [null, null]])
    t.equal(decisionName(from, to), undefined);
});
