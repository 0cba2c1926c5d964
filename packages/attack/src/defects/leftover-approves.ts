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
