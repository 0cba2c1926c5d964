import { formatAmount, parseAmount } from './amount.ts';
import { listOf, objectIn, UnreadableAnswer } from './answers.ts';
import type { Operation, Reading } from './call.ts';
import { textOf } from './json.ts';
import { chargePath } from './requests.ts';
import type { HttpAnswer } from './transport.ts';

/** A Pix at the simulated bank, and what has not gone back of it, in centavos. */
export type HeldPix = { endToEndId: string; left: number };

/**
 * The other side of the simulated bank: what payers and their banks do there. Only the bank of test stores has it.
 * Amounts are centavos. Every operation may throw PixUnavailable or PixRefused, as those of the API Pix.
 */
export type BankSide = {
  /** Pays a code: the charge's amount, unless another is given; `late` is after its expiry. */
  pay(copyAndPaste: string, how: { amount?: number | undefined; late?: boolean }): Promise<void>;
  /** The Pix of a charge, the oldest first. */
  pixOf(txid: string): Promise<HeldPix[]>;
  /** The bank takes a Pix back by itself (MED): all that is left, unless an amount is given. */
  takeBack(endToEndId: string, amount?: number): Promise<void>;
};

type Call = <T>(operation: Reading<T>) => Promise<T>;

export function bankSide(call: Call): BankSide {
  const post = (name: string, rest: string, body: object) =>
    call({ ...ofPayer, name, rest, method: 'POST', body, read: () => undefined });
  return {
    pay: async (pixCopiaECola, { amount, late = false }) =>
      post('pay', '/pay', {
        pixCopiaECola,
        late,
        ...(amount !== undefined && { valor: formatAmount(amount) }),
      }),
    pixOf: (txid) =>
      call({
        ...ofPayer,
        name: 'readPaid',
        rest: `/charges${chargePath(txid)}`,
        method: 'GET',
        read: heldPix,
      }),
    takeBack: async (endToEndId, amount) =>
      post('takeBack', '/refunds', {
        endToEndId,
        ...(amount !== undefined && { valor: formatAmount(amount) }),
      }),
  };
}

const ofPayer = {
  at: 'bankSide',
  repeatable: false,
  urgency: 'polling',
} as const satisfies Partial<Operation>;

function heldPix({ body }: HttpAnswer): HeldPix[] {
  return listOf(objectIn(body, 'cob').pix).map((entry) => {
    const { endToEndId, valor, devolucoes } = objectIn(entry, 'pix');
    const id = textOf(endToEndId);
    const amount = parseAmount(valor);
    if (!id || amount === null) throw new UnreadableAnswer('pix');
    const gone = listOf(devolucoes)
      .map((one) => objectIn(one, 'devolucao'))
      .filter(({ status }) => status !== 'NAO_REALIZADO');
    return { endToEndId: id, left: gone.reduce((left, one) => left - (parseAmount(one.valor) ?? 0), amount) };
  });
}
