import type { Edit } from '@payments/testing/break-sources';
import type { Kind } from './world.ts';

/** A plausible mistake, made in a copy of the sources, which the histories must find. */
export type Mutant = {
  name: string;
  edits: Edit[];
  /** The difference that shows it. Another one does not count. */
  says: RegExp;
  /** The world that shows it; one bank if not given. */
  banks?: Kind;
};

const src = 'packages/settlement/src';

export const mutants: readonly Mutant[] = [
  {
    name: 'what was told is kept without its returns',
    edits: [
      {
        file: `${src}/pix/on-record.ts`,
        find: 'const returns = all.flatMap((one) => one.returns);',
        replace: 'const returns: ToldReturn[] = [];',
      },
    ],
    // The bank's own return (MED) or one of ours: whichever was told first.
    says: /the service was told that \w+ is/,
  },
  {
    name: 'nothing revives a failed refund',
    edits: [
      {
        file: 'packages/database/src/refunds/claims.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
        find: "or (${state} = 'processing' and concluded)",
        replace: '',
      },
      {
        file: `${src}/pix/on-record.ts`,
        find: "return state === 'failed' || (state === 'processing' && !known.concluded);",
        replace: "return state !== 'refunded';",
      },
    ],
    says: /MED\w+ is (refused, not at|under way, and does not know)/,
  },
  {
    name: 'a payout does not ask the bank',
    edits: [
      {
        file: `${src}/decide.ts`,
        find: "const asksBank: readonly PaymentStatus[] = ['approved', 'paid', 'withdrawal_processing'];",
        replace: "const asksBank: readonly PaymentStatus[] = ['approved'];",
      },
    ],
    says: /it was paid out, and the bank has taken back/,
  },
  {
    name: 'one refusal of a used id is believed',
    edits: [
      {
        file: `${src}/refunds/carry-out.ts`,
        find: 'if (refund.tries > 1 && !isBelieved(looks)) {',
        replace: 'if (refund.tries > 1 && looks < 1) {',
      },
    ],
    says: /is refused, (not at the bank|and does not know)|is made, and does not know|goes back, and/,
  },
  {
    name: 'one look is believed',
    edits: [
      {
        file: `${src}/answers.ts`,
        find: 'export const looksUntilBelieved = 4;',
        replace: 'export const looksUntilBelieved = 1;',
      },
    ],
    says: /\w+ is refused, not at the bank/,
  },
  {
    name: 'the first good answer ends a problem',
    edits: [
      {
        file: `${src}/charges/settle-set-aside.ts`,
        find: 'settleAgain(context, told).catch(',
        replace: 'settleAgain(context, { ...told, endToEndIds: [], returns: [] }).catch(',
      },
    ],
    says: /no problem is open: the service was told/,
  },
  {
    name: 'a check of a day before its end counts',
    edits: [
      {
        file: `${src}/days/check-day.ts`,
        find: 'return isWhole(date, checkedAt) && !isAhead;',
        replace: 'return true;',
      },
    ],
    says: /was last compared at/,
  },
  {
    name: 'two keys of one account are taken for one',
    edits: [
      {
        file: 'packages/pix/src/keys.ts',
        find: 'return other === null || canonicalKey(own) === canonicalKey(other);',
        replace: "return own !== '' || other === canonicalKey('');",
      },
    ],
    says: /its code is not that of|is not as at the bank|and should be|goes back|counts wrongly/,
    banks: 'account',
  },
  {
    name: 'a refund is told when it is ordered, and never again',
    edits: [
      {
        file: `${src}/balance.ts`,
        find: 'if (isDeepStrictEqual(refund, previous)) continue;',
        replace: 'if (previous) continue;',
      },
    ],
    says: /refund \w+ is \w+ of [\d.]+, and was told as requested/,
  },
  {
    name: 'a part that went back is told by its refund alone',
    edits: [
      {
        file: 'packages/database/src/payments/changes.ts',
        find: '  if (!(await writeChange(trx, payment, { values: { ...values, ...update.values }, event })))',
        replace: `  const written = await trx.updateTable('payments').set({ amount, feeAmount, liquidValue, copyAndPaste })
    .where('id', '=', payment.id).execute();
  if (written) return { ...changed, events: payment.events };
  if (!(await writeChange(trx, payment, { values: { ...values, ...update.values }, event })))`,
      },
    ],
    says: /a read shows approved [\d.]+ .*, and the last event told approved/,
  },
];
