import type { Defect } from './defect.ts';

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
  rate: 15,
  breaks: [{ promise: 12, says: /was not removed/ }],
};
