import t from 'tap';
import { history } from '../../src/promises/history.ts';
import { caseOf, type HandMade } from '../hand-made.ts';

type Move = [status: string, actor: string];

const found = (...moves: Move[]) => {
  const events: HandMade['events'] = moves.map(([status, actor], index) => [status, actor, index + 1]);
  return history(caseOf({ status: moves.at(-1)![0], amount: 10, events })).map(({ says }) => says);
};

t.test('allowed transitions pass', async (t) => {
  t.same(found(['approved', 'psp']), []);
  t.same(found(['not_approved', 'expiry'], ['approved', 'psp']), [], 'paid in time, and seen late');
  t.same(found(['approved', 'psp'], ['not_approved', 'refund']), []);
  t.same(found(['approved', 'psp'], ['paid', 'administrator'], ['not_approved', 'refund']), []);
});

t.test('all others are found', async (t) => {
  const onTheWay: Move[] = [
    ['approved', 'psp'],
    ['paid', 'administrator'],
    ['withdrawal_processing', 'administrator'],
  ];
  t.match(found(...onTheWay, ['not_approved', 'refund']), [/refund moved it from withdrawal_processing/]);
  t.match(found(['approved', 'psp'], ['not_approved', 'administrator']), [/administrator moved it/]);
  t.match(found(['not_approved', 'expiry'], ['approved', 'administrator']), [/administrator moved it/]);
  t.match(found(['review', 'psp'], ['not_approved', 'refund']), [/refund moved it from review/]);
});
