import type { ChargeWork } from '@payments/database/charges/problems';
import { type BankError, type BankErrorWords, bankErrorText } from '@payments/domain/bank-error';
import type { ShownBank } from './actions.ts';

/** The banks' errors, and the work on charges, in the panel's words. */

const words: BankErrorWords = {
  network: 'não foi possível conectar ao banco',
  timeout: 'o banco não respondeu a tempo',
  status: 'o banco não atendeu ao pedido',
  'wrong-address': 'o banco não tem a API Pix neste endereço',
  unreadable: 'a resposta do banco não foi entendida',
  'breaker-open': 'o banco está com falhas e não foi chamado',
  paced: 'o limite de chamadas do banco foi atingido',
  'tokens-used-up': 'o token não vale mais, e o limite de tokens do banco foi atingido',
  'not-configured': 'o banco não está configurado',
  refused: 'o banco recusou com ',
  charge_unknown: 'O banco não conhece a cobrança.',
  charge_active: 'O banco informa que a cobrança ainda pode ser paga.',
  charge_removed: 'O banco informa que a cobrança foi removida.',
  paid_without_pix: 'O banco informa que a cobrança foi paga, mas não mostra nenhum Pix.',
  pix_of_another_payment: 'Um Pix desta cobrança já está em outro pagamento.',
  pix_unreadable: 'O banco mostra um Pix que não foi entendido.',
  pix_misplaced: 'Um Pix desta cobrança já está em outro pagamento.',
  pix_not_in_charge: 'O banco informou um Pix que não aparece na cobrança.',
  return_not_in_charge: 'O banco informou uma devolução que não aparece na cobrança.',
  return_unreadable: 'O banco mostra uma devolução que não foi entendida.',
  amount_differs: 'O valor no banco é diferente do valor da cobrança.',
  kind_differs: 'A cobrança é real e o pagamento é de teste, ou o contrário.',
  key_differs: 'No banco, a cobrança está com a chave de outro recebedor.',
  other_receiver: 'A cobrança é de outro recebedor.',
  no_payment: 'Nenhum pagamento tem esta cobrança.',
  no_payment_of_store: 'Nenhum pagamento tem esta cobrança, que é da loja ',
  no_payment_of_unknown_store: 'Nenhum pagamento tem esta cobrança, e ela não diz de que loja é.',
  refund_not_shown: 'O banco não a mostra mais.',
  returned_already: 'Todo o valor já havia sido devolvido.',
  told: '',
  unexpected: '',
};

/** @returns an error of a bank in Portuguese, with the operation; the bank's own words stay */
export const bankErrorName = (error: BankError): string => bankErrorText(error, words);

const works: Record<ChargeWork, string> = {
  register: 'Registrar a cobrança no banco',
  settle: 'Conferir o que foi pago',
  expire: 'Encerrar a cobrança vencida',
  cancel: 'Cancelar a cobrança',
};

export const chargeWorkName = (work: ChargeWork): string => works[work];

/** @returns the last error of a bank in words, or why it gets nothing */
export function errorOf({ isConfigured, lastError }: ShownBank): string {
  if (!isConfigured) return 'Este banco não está mais configurado. O que ele tem espera até que volte.';
  return lastError === null ? '–' : bankErrorName(lastError);
}
