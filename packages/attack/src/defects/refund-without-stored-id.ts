import type { Defect } from './defect.ts';

/**
 * A refund's id is created with the PSP's request and stored with the response. If the response is lost, the refund
 * can't be found.
 */
export const refundWithoutStoredId: Defect = {
  name: 'refund without a stored id',
  edits: [
    {
      file: 'packages/settlement/src/refunds/carry-out.ts',
      find: 'return known ?? pix.requestRefund(refund.endToEndId, refund.id, refund.amount);',
      replace: `return known ?? pix.requestRefund(refund.endToEndId, crypto.randomUUID().replaceAll('-', ''), refund.amount);`,
    },
    {
      file: 'packages/settlement/src/refunds/sync-refunds.ts',
      find: '    const isNew = await recordRefundProgress(trx, { id, endToEndId, ...progress });',
      replace: `    await trx.updateTable('refunds').set({ id: response.id })
      .where('endToEndId', '=', endToEndId).where('id', '=', id).execute();
    const isNew = await recordRefundProgress(trx, { id: response.id, endToEndId, ...progress });`,
    },
  ],
  // No other faults of the bank: the test needs codes to pay, and refunds of paid Pix.
  faults: ['psp-loses-answers', 'dispatcher-killed'],
  seconds: 40,
  rate: 15,
  breaks: [{ promise: 11, says: /is recorded as/ }],
};
