import type { Refund } from '@payments/database/refunds/refunds';
import type { PaymentStatus } from '@payments/domain/status';
import t from 'tap';
import { isOfPerson, refusalToRetry } from '../../src/refunds/refused-refund.ts';
import type { Refusal } from '../../src/refusals.ts';

const refused = {
  id: 'D1',
  origin: 'service',
  state: 'failed',
  replaces: null,
  owed: null,
  orderAgainAt: null,
  wanted: 500,
} as Refund;
const another = { ...refused, id: 'D2' };
const tomorrow = new Date('2026-11-24T12:00:00Z');

t.test('why a refund may not be ordered again', async (t) => {
  const table: [what: string, failed: Partial<Refund>, others: Refund[], refusal: Refusal | null][] = [
    ['owed', { owed: 500 }, [], null],
    ['owed, beside another refund', { owed: 500 }, [another], null],
    ['to be ordered again later', { orderAgainAt: tomorrow }, [], null],
    ['the bank began it', { origin: 'bank', owed: 500 }, [], { code: 'ofBank' }],
    ['asked for', { state: 'requested', owed: 500 }, [], { code: 'notRefused' }],
    ['made', { state: 'refunded', owed: 500 }, [], { code: 'notRefused' }],
    ['replaced', { owed: 500 }, [{ ...another, replaces: 'D1' }], { code: 'orderedAlready' }],
    ['another one is replaced', { owed: 500 }, [{ ...another, replaces: 'D3' }], null],
    ['ended, as more than was left', { wanted: 0 }, [], { code: 'ended' }],
    ['nothing is owed any more', {}, [], { code: 'notOwed', status: 'paid' }],
  ];
  for (const [what, changed, others, refusal] of table) {
    const failed = { ...refused, ...changed };
    t.same(refusalToRetry(failed, [failed, ...others], { status: 'paid' }), refusal, what);
  }
});

t.test('a person may withdraw what a person ordered, while the payment is the store’s', async (t) => {
  const table: [reason: Refund['reason'], status: PaymentStatus, isOfPerson: boolean][] = [
    ['administrator', 'approved', true],
    ['administrator', 'paid', true],
    ['administrator', 'not_approved', false],
    ['administrator', 'review', false],
    ['second_pix', 'approved', false],
    ['bank', 'paid', false],
  ];
  for (const [reason, status, expected] of table)
    t.equal(isOfPerson({ reason }, { status }), expected, `${reason}, ${status}`);
});
