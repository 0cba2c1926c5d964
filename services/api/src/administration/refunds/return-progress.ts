import type { Refund } from '@payments/database/refunds/refunds';

type Progress = 'refused' | 'requested' | 'processing' | 'made';

const sentences: Record<Progress, string> = {
  refused: 'O banco recusou a devolução.',
  requested: 'A devolução foi pedida ao banco.',
  processing: 'A devolução está em processamento no banco.',
  made: 'O valor foi devolvido.',
};

/** @returns the progress of the refunds in words; null without a refund */
export function returnProgress(refunds: readonly Refund[]): string | null {
  const isReplaced = ({ id }: Refund) => refunds.some(({ replaces }) => replaces === id);
  const found = new Set(refunds.filter((refund) => !isReplaced(refund)).map(progressOf));
  // The refund that is furthest from done decides the text.
  const order: readonly Progress[] = ['refused', 'requested', 'processing', 'made'];
  const least = order.find((progress) => found.has(progress));
  return least ? sentences[least] : null;
}

/** A refused refund counts only while its money is owed: otherwise another refund replaced it. */
function progressOf({ state, owed, orderAgainAt }: Refund): Progress | null {
  if (state === 'failed') return owed === null && orderAgainAt === null ? null : 'refused';
  return state === 'refunded' ? 'made' : state;
}
