import t from 'tap';
import {
  type BankError,
  type BankErrorCode,
  BankFailure,
  bankErrorOf,
  bankErrorText,
  bankWords,
  isRefundRule,
} from '../src/bank-error.ts';

t.test('a bank’s error in English, for programs and logs', async (t) => {
  const table: [error: BankError, text: string][] = [
    [{ code: 'timeout', operation: 'putCharge' }, 'putCharge: the PSP did not answer in time'],
    [
      { code: 'status', operation: 'getCob', detail: '503' },
      'getCob: the PSP could not serve the request (503)',
    ],
    [
      { code: 'refused', operation: 'token', detail: '401 AcessoNegado: chave' },
      'token: the PSP refused with 401 AcessoNegado: chave',
    ],
    [{ code: 'charge_unknown' }, 'the PSP does not know the charge'],
    [{ code: 'no_payment_of_store', detail: 'S1' }, 'no payment of store S1'],
    [{ code: 'told', detail: 'Saldo insuficiente.' }, 'Saldo insuficiente.'],
    [{ code: 'unexpected', detail: 'no rows' }, 'no rows'],
  ];
  for (const [error, text] of table) t.equal(bankErrorText(error), text);
});

// The type keeps the list whole.
const codes: Record<BankErrorCode, 'has words' | 'is said by the detail'> = {
  network: 'has words',
  timeout: 'has words',
  status: 'has words',
  'wrong-address': 'has words',
  unreadable: 'has words',
  'breaker-open': 'has words',
  paced: 'has words',
  'tokens-used-up': 'has words',
  'not-configured': 'has words',
  refused: 'has words',
  charge_unknown: 'has words',
  charge_active: 'has words',
  charge_removed: 'has words',
  paid_without_pix: 'has words',
  pix_of_another_payment: 'has words',
  pix_unreadable: 'has words',
  pix_misplaced: 'has words',
  pix_not_in_charge: 'has words',
  return_not_in_charge: 'has words',
  return_unreadable: 'has words',
  amount_differs: 'has words',
  key_differs: 'has words',
  kind_differs: 'has words',
  other_receiver: 'has words',
  no_payment: 'has words',
  no_payment_of_store: 'has words',
  no_payment_of_unknown_store: 'has words',
  refund_not_shown: 'has words',
  returned_already: 'has words',
  told: 'is said by the detail',
  unexpected: 'is said by the detail',
};

t.test('every code has words of its own, or is said by its detail', async (t) => {
  const texts = Object.entries(codes).map(([code, says]) => {
    const text = bankErrorText({ code: code as BankErrorCode });
    t.equal(text === '', says === 'is said by the detail', code);
    return text;
  });
  t.equal(new Set(texts).size, texts.length - 1, 'no two share their words');
});

t.test('whatever was thrown can be stored', async (t) => {
  const failure = new BankFailure({ code: 'charge_removed' });
  t.equal(failure.message, 'the PSP says that the charge is removed');
  t.same(bankErrorOf(failure), { code: 'charge_removed' });
  t.same(bankErrorOf(new Error('no answer')), { code: 'unexpected', detail: 'no answer' });
  t.same(bankErrorOf('no answer'), { code: 'unexpected', detail: 'no answer' });
});

t.test('a bank’s words, without what PostgreSQL’s JSON does not have', async (t) => {
  t.equal(bankWords(null), null);
  t.same(bankWords('cut \ud83d'), { code: 'told', detail: 'cut \ufffd' });
  t.same(bankWords('a\0b'), { code: 'told', detail: 'ab' });
  const refused = new BankFailure({ code: 'refused', operation: 'putCharge', detail: '400: \udc00' });
  t.same(refused.stored, { code: 'refused', operation: 'putCharge', detail: '400: \ufffd' });
});

t.test('a rule of the service is not the bank’s reason', async (t) => {
  t.ok(isRefundRule({ code: 'windowOver' }));
  t.ok(isRefundRule({ code: 'moreThanIsLeft' }));
  t.notOk(isRefundRule({ code: 'told', detail: 'no' }));
});
