import type { PaymentStatus } from '@payments/domain/status';
import type { PlainRefusal, Refusal } from '@payments/settlement/refusals';

const plain: Record<PlainRefusal, string> = {
  beingRefunded: 'O pagamento está sendo devolvido.',
  nothingReceivedLeft: 'Nada resta do que foi recebido.',
  returnUnderWay: 'Há uma devolução em andamento.',
  inDoubt: 'O banco e os registros ainda não concordam sobre este pagamento. Tente de novo em instantes.',
  chargeUnknown: 'O banco não conhece a cobrança deste pagamento.',
  amountChanged: 'O valor a aprovar mudou. Confira e decida de novo.',
  nothingToRefund: 'Nada resta a devolver deste pagamento.',
  refusedByBank: 'O banco recusou a devolução do que resta; peça-a de novo.',
  windowOver: 'O prazo de 90 dias para devolver este Pix terminou.',
  moreThanIsLeft: 'O valor é maior do que o que resta a devolver deste pagamento.',
  leftChanged: 'O valor que resta a devolver mudou. Confira e peça de novo.',
  refundLimitReached: 'O limite diário de devoluções da loja foi atingido.',
  nothingOfPix: 'Nada resta a devolver deste Pix.',
  ofPayer: 'O valor desta devolução pertence a quem pagou.',
  ofBank: 'A devolução foi iniciada pelo banco.',
  notRefused: 'A devolução não foi recusada pelo banco.',
  ended: 'Esta devolução terminou e não pode ser pedida de novo. Peça uma nova.',
  orderedAlready: 'A devolução já foi solicitada novamente.',
  notAtTestBank: 'O banco de testes não pode fazer isto com este pagamento.',
};

/** The words for the refusals of the rules, for errors, documents and the panel. */
export const refusals = {
  ...plain,
  transition: (from: PaymentStatus, to: PaymentStatus) =>
    `A transição de ${from} para ${to} não é permitida.`,
  notRefundable: (status: PaymentStatus) => `Um pagamento com status ${status} não pode ser devolvido.`,
  notOwed: (status: PaymentStatus) => `Nada resta a devolver de um pagamento com status ${status}.`,
};

/** @returns why a rule refused what a person asked, in words */
export function refusalText(refusal: Refusal): string {
  if (refusal.code === 'transition') return refusals.transition(refusal.from, refusal.to);
  if ('status' in refusal) return refusals[refusal.code](refusal.status);
  return plain[refusal.code];
}

type RefusalName = 'notRefundable' | 'refundTooLate' | 'refundTooHigh' | 'refundLimitReached';

/**
 * The names by which programs read refusals in `Error-Code`, where the list of errors has one (Contract: error body).
 * An amount that is on its way already is more than is left.
 */
const names: Partial<Record<Refusal['code'], RefusalName>> = {
  notRefundable: 'notRefundable',
  windowOver: 'refundTooLate',
  nothingToRefund: 'refundTooHigh',
  refusedByBank: 'refundTooHigh',
  moreThanIsLeft: 'refundTooHigh',
  refundLimitReached: 'refundLimitReached',
};

/** @returns the name of a refusal in the list of errors; undefined if it has none */
export function refusalName({ code }: Refusal): RefusalName | undefined {
  return names[code];
}
