import { type AdministratorTransition, mayTransition, paymentStatuses } from '@payments/domain/status';
import t from 'tap';
import { decisionName, movesOf, reasonOf, refundReason } from '../../../src/administration/payments/names.ts';

/** Every decision has its words. The compiler finds a missing entry, and this test the type that lost one. */
const amounts = { approvable: 1_000, refundable: 1_000 };

t.test('a table by transitions with one left out does not compile', async () => {
  // @ts-expect-error: the other transitions of an administrator are missing
  const incomplete: Record<AdministratorTransition, string> = { 'review approved': 'Pagamento aprovado' };
  void incomplete;
});

for (const from of paymentStatuses) {
  const allowed = paymentStatuses.filter((to) => mayTransition(from, to, 'administrator'));

  t.test(`${from}: a button for each transition of an administrator, in the contract's order`, async (t) => {
    const moves = movesOf({ status: from, charged: 1_000 }, amounts);
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

t.test('an order of ours that a restored database lost is called ours', async (t) => {
  const found = refundReason({ origin: 'service', reason: 'ORIGINAL', tokenId: null });
  t.equal(found, 'Pedida por este serviço, recuperada do banco');
});

/** The words of a return by its `natureza`, and of a payment that all went back by such returns. */
const atBank: Record<string, [row: string, change: RegExp]> = {
  ORIGINAL: ['Devolução feita diretamente no banco', /^Tudo o que foi recebido foi devolvido diretamente/],
  bank: ['Devolução iniciada no banco, que não informou a origem', /devolvido no banco, que não informou/],
  RETIRADA: ['Devolução feita diretamente no banco: RETIRADA', /foi devolvido diretamente no banco/],
  MED_FRAUDE: ['Devolução iniciada pelo banco (MED): suspeita de fraude', /^O banco devolveu tudo.*\(MED\)/],
  MED_OUTRO: ['Devolução iniciada pelo banco (MED): MED_OUTRO', /^O banco devolveu tudo.*\(MED\)/],
};

for (const [reason, [row, change]] of Object.entries(atBank))
  t.test(`a return at the bank is called a MED by its natureza alone: ${reason}`, async (t) => {
    const refund = { origin: 'bank' as const, reason, tokenId: null };
    t.equal(refundReason(refund), row);
    const event = { actor: 'refund', reason: 'returned_by_bank', previousStatus: 'approved' } as const;
    t.match(reasonOf({ ...event, status: 'not_approved' }, [refund]), change);
  });

t.test('an approval of another amount names both', async (t) => {
  const [approval] = movesOf({ status: 'review', charged: 10_000 }, { approvable: 500, refundable: 500 });
  t.match(approval?.label, /^Aprovar por R\$\s5,00; a cobrança era de R\$\s100,00$/);
});

t.test('a rejection names what it orders to go back', async (t) => {
  const words = (approvable: number, refundable: number) =>
    movesOf({ status: 'review', charged: 10_000 }, { approvable, refundable })[1]?.warning;
  t.match(words(10_000, 7_000), /^A devolução de R\$\s70,00 a quem pagou será pedida ao banco\./);
  t.match(words(7_000, 0), /^A devolução já está em andamento\./);
  t.match(words(0, 0), /^Tudo o que foi recebido já foi devolvido\./);
});

t.test('what is no pair of statuses names no decision', async (t) => {
  for (const [from, to] of [['payment-created'], ['toString'], ['review', undefined], [null, null]])
    t.equal(decisionName(from, to), undefined);
});
