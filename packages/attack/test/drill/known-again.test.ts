import t from 'tap';
import { contradiction } from '../../src/drill/apart.ts';
import { ordersUndone, sortPayments } from '../../src/drill/known-again.ts';
import type { BankRefund } from '../../src/verdict/evidence.ts';
import { caseOf, devolucao, pixOf } from '../hand-made.ts';

const [before, moment, after] = [1_000, 2_000, 3_000];

const undone = (at: number, ...devolucoes: BankRefund[]) => {
  const bank = { status: 'CONCLUIDA', expiraEm: '', pix: [pixOf('10.00', 1, ...devolucoes)] };
  return ordersUndone({ refunds: [{ id: 'r1', amount: 300, at }] }, { bank }, moment).map(({ id }) => id);
};

t.test('a restore undoes an order of a refund only if it moved no money', async (t) => {
  t.same(undone(after), ['r1'], 'the bank never got it');
  t.same(undone(after, devolucao('r1', '3.00', 5, 'NAO_REALIZADO')), ['r1'], 'the bank refused it');
  t.same(undone(after, devolucao('r1', '3.00', 5)), [], 'the bank made it');
  t.same(undone(after, devolucao('r1', '3.00', 5, 'EM_PROCESSAMENTO')), [], 'the bank is making it');
  t.same(undone(before, devolucao('r1', '3.00', 5, 'NAO_REALIZADO')), [], 'the database has it');
});

t.test('a refused order counts as carried out if a later one gave its amount back', async (t) => {
  const refused = devolucao('r1', '3.00', 5, 'NAO_REALIZADO');
  t.same(undone(after, refused, devolucao('r2', '3.00', 6)), []);
  t.same(undone(after, refused, devolucao('MED1', '3.00', 6)), ['r1'], 'but not if the bank took it');
});

t.test('what was paid and is lost must be held, unless all of it went back', async (t) => {
  const isHeld = (...devolucoes: BankRefund[]) => {
    const { evidence } = caseOf({ status: 'missing', amount: 10, pix: [pixOf('10.00', 1, ...devolucoes)] });
    return sortPayments(evidence, new Map(), 0).paidAndLost.map((lost) => lost.isHeld);
  };
  t.same(isHeld(), [false]);
  t.same(isHeld(devolucao('r1', '3.00', 5)), [false]);
  t.same(isHeld(devolucao('r1', '3.00', 5), devolucao('r2', '7.00', 6)), [true]);
  t.same(isHeld(devolucao('r1', '10.00', 5, 'NAO_REALIZADO')), [false]);
});

t.test('a restored status that the bank’s charge contradicts', async (t) => {
  const says = (status: string, charge: string, ...devolucoes: BankRefund[]) =>
    contradiction(status, { status: charge, expiraEm: '', pix: [pixOf('10.00', 1, ...devolucoes)] });
  const gone = devolucao('r1', '10.00', 5);
  t.match(says('review', 'CONCLUIDA', gone), /money went back/);
  t.match(says('review', 'CONCLUIDA', devolucao('MED1', '4.00', 5), devolucao('r1', '6.00', 6)), /went back/);
  t.equal(says('review', 'CONCLUIDA', devolucao('MED1', '10.00', 5)), undefined, 'a person decides');
  t.equal(says('review', 'CONCLUIDA', devolucao('r1', '4.00', 5)), undefined);
  t.equal(says('not_approved', 'CONCLUIDA', gone), undefined);
  const unpaid = (status: string, charge: string) =>
    contradiction(status, { status: charge, expiraEm: '', pix: [] });
  t.match(unpaid('pending', 'REMOVIDA_PELO_USUARIO_RECEBEDOR'), /charge is removed/);
  t.equal(unpaid('pending', 'ATIVA'), undefined);
  t.equal(unpaid('not_approved', 'REMOVIDA_PELO_USUARIO_RECEBEDOR'), undefined);
});
