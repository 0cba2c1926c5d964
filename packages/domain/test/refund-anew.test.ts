import t from 'tap';
import { type RefundToRepeat, refusalToRefundAnew } from '../src/refund-anew.ts';
import { paymentStatuses } from '../src/status.ts';

const refused: RefundToRepeat = {
  origin: 'service',
  state: 'failed',
  reason: 'rejected',
  isReplaced: false,
  paymentStatus: 'not_approved',
};

const table: [given: Partial<RefundToRepeat>, refusal: string | null][] = [
  [{}, null],
  [{ reason: 'review_timeout', paymentStatus: 'review' }, null],
  [{ origin: 'bank' }, 'A devolução foi iniciada pelo banco.'],
  [{ isReplaced: true }, 'A devolução já foi solicitada novamente.'],
  ...(['requested', 'processing', 'refunded'] as const).map((state): [Partial<RefundToRepeat>, string] => [
    { state },
    'A devolução não foi recusada pelo banco.',
  ]),
  ...paymentStatuses.map((paymentStatus): [Partial<RefundToRepeat>, null] => [
    { reason: 'second_pix', paymentStatus },
    null,
  ]),
  ...paymentStatuses
    .filter((status) => status !== 'review' && status !== 'not_approved')
    .map((paymentStatus): [Partial<RefundToRepeat>, string] => [
      { paymentStatus },
      `O valor de um pagamento com status ${paymentStatus} não é devolvido.`,
    ]),
];
for (const [given, refusal] of table) {
  t.test(`${JSON.stringify(given)}: ${refusal ?? 'may be ordered'}`, async (t) =>
    t.equal(refusalToRefundAnew({ ...refused, ...given }), refusal),
  );
}
