import type { Defect } from './defect.ts';

/** A Pix for a charge that another bank took unheard counts like one for the code that was shown. */
export const leftoverApproves: Defect = {
  name: 'a leftover’s Pix approves',
  edits: [
    {
      file: 'packages/settlement/src/pix/settle-charge.ts',
      find: 'const isSecond = received || payment.bank !== bank;',
      replace: 'const isSecond = received;',
    },
  ],
  faults: ['bank-loses-answers', 'bank-breaks'],
  // Few answers are lost, and fewer of their charges are paid.
  pauseSeconds: [0.5, 1.5],
  seconds: 55,
  rate: 20,
  breaks: [
    { promise: 4, says: /Pix moved it/ },
    { promise: 11, says: /where the bank (has|had) / },
  ],
};

/** A MED is recorded, but the payment keeps its amount. */
export const medIgnored: Defect = {
  name: 'MED ignored',
  edits: [
    {
      file: 'packages/domain/src/refunds.ts',
      find: "const isMade = ({ state }: RefundRecord) => state === 'refunded';",
      replace:
        "const isMade = ({ state, origin }: RefundRecord) => state === 'refunded' && origin === 'service';",
    },
  ],
  faults: ['dispatcher-killed'],
  seconds: 40,
  rate: 15,
  breaks: [{ promise: 11, says: /where the bank (has|had) |nothing left/ }],
};

/** An approved payment shows at most the charged amount: a customer's excess is shown nowhere. */
export const overPaymentAsCharged: Defect = {
  name: 'over-payment approved as charged',
  edits: [
    {
      file: 'packages/domain/src/refunds.ts',
      find: 'return sum(counted(pix).map((one) => leftOf(one, refunds.filter(isMade))));',
      replace:
        'return Math.min(payment.charged, sum(counted(pix).map((one) => leftOf(one, refunds.filter(isMade)))));',
    },
  ],
  faults: ['dispatcher-killed'],
  seconds: 40,
  rate: 15,
  breaks: [{ promise: 11, says: /where the bank (has|had) / }],
};

/**
 * A refund's id is created with the PSP's request and stored with the response. If the response is lost, the refund
 * can't be found.
 */
export const refundWithoutStoredId: Defect = {
  name: 'refund without a stored id',
  edits: [
    {
      file: 'packages/settlement/src/refunds/carry-out.ts',
      find: 'return pix.requestRefund(refund.endToEndId, refund.id, refund.amount);',
      replace: `return pix.requestRefund(refund.endToEndId, crypto.randomUUID().replaceAll('-', ''), refund.amount);`,
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

/** The next bank is asked, and nothing is left on record of what the first may have taken: it stays payable there. */
export const unheardForgotten: Defect = {
  name: 'failover without recording the unheard bank',
  edits: [
    {
      file: 'packages/settlement/src/charges/ask-for-charge.ts',
      find: '      if (!isNotAsked(error)) await mayHaveTaken(context, asked, [bank]);\n',
      replace: '',
    },
  ],
  faults: ['bank-loses-answers', 'bank-breaks'],
  seconds: 60,
  // A charge lives for half a minute: no other fault may excuse what is left of it.
  pauseSeconds: [44, 48],
  // A test charge has no other bank.
  spared: ['test'],
  rate: 15,
  breaks: [{ promise: 12, says: /was not removed/ }],
};

/** A store's kind is forgotten where banks are chosen and asked: its charge goes to the first bank, and no commit follows. */
export const testChargesRoutedAsReal: Defect = {
  name: 'test charges routed as real ones',
  edits: [
    {
      file: 'packages/domain/src/route-charge.ts',
      find: 'const possible = banks.filter(({ id }) => isTestBank(id) === test);',
      replace: 'const possible = banks.slice();',
    },
    {
      file: 'packages/domain/src/route-charge.ts',
      find: '  if (terms.test !== isTestBank(bank.id))\n',
      replace: '  if (terms.test === undefined)\n',
    },
  ],
  faults: [],
  seconds: 20,
  rate: 15,
  breaks: [{ promise: 15, says: /^a charge of store-4 is at bank (bb|efi)$/ }],
};
