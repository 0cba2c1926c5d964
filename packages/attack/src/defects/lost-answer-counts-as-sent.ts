import type { Defect } from './defect.ts';

/** A mail or post whose answer was lost or bad counts as sent: whoever did not get it is never told. */
export const lostAnswerCountsAsSent: Defect = {
  name: 'lost answer counts as sent',
  edits: [
    {
      file: 'services/dispatcher/src/notices/tries.ts',
      find: "  if (result.state === 'sent') await endMail(",
      replace: "  if (result.state === 'sent' || result.state === 'unknown') await endMail(",
    },
  ],
  faults: ['mail-refuses', 'mail-killed'],
  seconds: 45,
  rate: 15,
  breaks: [{ promise: 14, says: /heard nothing of/ }],
};
