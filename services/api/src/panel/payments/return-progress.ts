import type { Refund } from '@payments/database/refunds/refunds';

type Progress = 'refused' | 'requested' | 'processing' | 'made';

const sentences: Record<Progress, string> = {
  refused: 'O banco recusou a devolução.',
  requested: 'A devolução foi pedida ao banco.',
  processing: 'A devolução está em processamento no banco.',
  made: 'O valor foi devolvido.',
};

/** @returns how far the return of this money has come, in words; null while nothing was ordered */
export function returnProgress(refunds: readonly Refund[]): string | null {
  const isReplaced = ({ id }: Refund) => refunds.some(({ replaces }) => replaces === id);
  const found = new Set(refunds.filter((refund) => !isReplaced(refund)).map(progressOf));
  // What has come least far is what a person must know.
  const order: readonly Progress[] = ['refused', 'requested', 'processing', 'made'];
  const least = order.find((progress) => found.has(progress));
  return least ? sentences[least] : null;
}

/** A refusal of which nothing is missing any more says nothing: the money went back another way. */
function progressOf({ state, owed, orderAgainAt }: Refund): Progress | null {
  if (state === 'failed') return owed === null && orderAgainAt === null ? null : 'refused';
  return state === 'refunded' ? 'made' : state;
}
