import type { Refusal } from '@payments/settlement/refusals';
import t from 'tap';
import { refusalText } from '../../src/http/errors/api-error.ts';

t.test('a rule’s refusal in words, with its values', async (t) => {
  const table: [refusal: Refusal, text: string][] = [
    [
      { code: 'transition', from: 'pending', to: 'paid' },
      'A transição de pending para paid não é permitida.',
    ],
    [{ code: 'notRefundable', status: 'review' }, 'Um pagamento com status review não pode ser devolvido.'],
    [{ code: 'notOwed', status: 'paid' }, 'Nada resta a devolver de um pagamento com status paid.'],
    [{ code: 'windowOver' }, 'O prazo de 90 dias para devolver este Pix terminou.'],
  ];
  for (const [refusal, text] of table) t.equal(refusalText(refusal), text);
});
