import type { ChargeWork } from '@payments/database/charges/problems';
import { bankError } from './bank-error.ts';

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
