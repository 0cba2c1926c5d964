import type { ChargeWork } from '@payments/database/charges/problems';
import type { ShownBank } from './actions.ts';

/** The banks' errors, and the work on charges, in the panel's words. */

// The Pix client's words for a bank that did not serve a request (see `PixUnavailable`).
const reasons: Record<string, string> = {
  'the PSP could not be reached': 'não foi possível conectar ao banco',
  'the PSP did not answer in time': 'o banco não respondeu a tempo',
  'the PSP could not serve the request': 'o banco não atendeu ao pedido',
  'the PSP has no API Pix at this address': 'o banco não tem a API Pix neste endereço',
  "the PSP's answer can't be understood": 'a resposta do banco não foi entendida',
  'the PSP is failing and was not called': 'o banco está com falhas e não foi chamado',
  'the calls that the PSP allows were used up, and it was not called':
    'o limite de chamadas do banco foi atingido',
  'the bank is not configured, and was not called': 'o banco não está configurado',
};

/** @returns an error of a bank in Portuguese, with the operation; other texts are the bank's own and stay */
export function bankError(error: string): string {
  const [, operation = '', rest = ''] = /^(\w+): (.+)$/s.exec(error) ?? [];
  const [, status, said = ''] = /^the PSP refused with (\d{3}) ?(.*)$/s.exec(rest) ?? [];
  if (status) return `${operation}: o banco recusou com ${status}${said === '' ? '' : ` ${said}`}`;
  const known = Object.entries(reasons).find(([english]) => rest.startsWith(english));
  return known ? `${operation}: ${known[1]}${rest.slice(known[0].length)}` : error;
}

const works: Record<ChargeWork, string> = {
  register: 'Registrar a cobrança no banco',
  settle: 'Conferir o que foi pago',
  expire: 'Encerrar a cobrança vencida',
  cancel: 'Cancelar a cobrança',
};

const errors: Record<string, string> = {
  'the PSP does not know the charge': 'O banco não conhece a cobrança.',
  'the charge does not show a Pix that the PSP told of':
    'O banco informou um Pix que não aparece na cobrança.',
  'a Pix of the charge stands on another payment': 'Um Pix desta cobrança já está em outro pagamento.',
  'neither the PSP nor we know the charge': 'Nem o banco nem este serviço conhecem a cobrança.',
  'the PSP says that the charge is paid, and shows no Pix':
    'O banco informa que a cobrança foi paga, mas não mostra nenhum Pix.',
  'the PSP shows a Pix that stands on another payment': 'Um Pix desta cobrança já está em outro pagamento.',
  'the PSP says that the charge is removed': 'O banco informa que a cobrança foi removida.',
  'no payment is known of the charge': 'Nenhum pagamento tem esta cobrança.',
};

export const chargeWorkName = (work: ChargeWork): string => works[work];
/** @returns the error in Portuguese, or unchanged if it has no translation */
export const chargeErrorName = (error: string): string => errors[error] ?? bankError(error);

/** @returns the last error of a bank in words, or why it gets nothing */
export function errorOf({ isConfigured, lastError }: ShownBank): string {
  if (!isConfigured) return 'Este banco não está mais configurado. O que ele tem espera até que volte.';
  return lastError === null ? '–' : bankError(lastError);
}
