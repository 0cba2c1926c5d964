import { randomUUID } from 'node:crypto';
import { parseBrCode } from '@payments/pix/brcode';
import type { RegisteredCharge } from '@payments/pix/client';
import { PixUnavailable } from '@payments/pix/errors';
import { CheckFailed, mayHaveTakenEffect, untilDone } from './failure.ts';
import { inWords, paidBy, type State, type Step } from './state.ts';

const newTxid = () => randomUUID().replaceAll('-', '');

const markLeftOut =
  'infoAdicionais are left out. After the loss of a database, payments can’t be created anew from their charges: ' +
  'their Pix are kept for a person, and so are those of other systems whose txids look like ours';

/** A charge of one centavo, registered and read. */
export const chargeSteps: Step[] = [
  {
    name: 'charge registered',
    advice: 'Check PIX_KEY: it must be a key of this account. The bank’s words say more.',
    run: async (state) => {
      const txid = newTxid();
      const { copyAndPaste } = await put(state, txid);
      state.charge = { txid, code: copyAndPaste };
      return `R$ 0,01 as ${txid}`;
    },
  },
  {
    name: 'charge read',
    advice: 'The bank took the charge and does not show it: ask its support.',
    run: withCharge(async (state, { txid }) => {
      const read = await state.client.getCharge(txid);
      if (read?.status !== 'ATIVA' || read.amount !== 1)
        throw new CheckFailed(
          `shown as ${read?.status ?? 'missing'}`,
          'Ask the bank’s support.',
          `getCharge ${txid}`,
        );
      state.mark = { sent: txid, shown: read.storeId };
      return 'ATIVA, R$ 0,01';
    }),
  },
  {
    name: 'our mark',
    advice: 'Ask the bank’s support.',
    // Everything works without it, so that a bank that leaves it out passes.
    run: async ({ mark }) => {
      if (!mark) return null;
      return mark.shown === mark.sent ? 'repeated in infoAdicionais' : markLeftOut;
    },
  },
  {
    name: 'code decoded',
    advice: 'Name the field that holds the code in PIX_CODE_FIELDS.',
    run: withCharge(async (_state, { code }) => {
      const { merchantName, location } = parseBrCode(code)!;
      return `CRC right, receiver ${merchantName}, at ${new URL(`https://${location}`).host}`;
    }),
  },
  {
    name: 'missing is missing',
    advice: 'Say in PIX_MISSING how the bank answers for what it does not have.',
    run: async ({ client }) => {
      const found = await client.getCharge(newTxid());
      if (found) throw new CheckFailed('the bank shows a charge that nobody made', 'Ask the bank’s support.');
      return 'a charge that nobody made is not there';
    },
  },
];

const ofAnotherCharge =
  'The answer is not of this charge, so the service would use another bank. Where it is right in all but its code: name the code’s field in PIX_CODE_FIELDS, or set PIX_CODE_LOCATION_DIFFERS if its location is another than the charge’s.';

async function put(state: State, txid: string): Promise<RegisteredCharge> {
  state.openTxid = txid;
  try {
    return await state.client.putCharge(txid, { amount: 1, expiresInSeconds: 3_600, storeId: txid });
  } catch (error) {
    if (!mayHaveTakenEffect(error)) delete state.openTxid;
    if (error instanceof PixUnavailable && error.reason === 'unreadable')
      throw new CheckFailed(error.message, ofAnotherCharge, `putCharge ${txid}`);
    throw error;
  }
}

type Charge = NonNullable<State['charge']>;

function withCharge(run: (state: State, charge: Charge) => Promise<string | null>): Step['run'] {
  return async (state) => (state.charge ? run(state, state.charge) : null);
}

/** With `--pay`: a real Pix of one centavo arrives. */
export const paidStep: Step = {
  name: 'paid',
  advice: 'Pay the code with a bank’s app within the time.',
  run: async (state) => {
    const { charge, pay, print } = state;
    if (!pay || !charge?.code) return null;
    print(`  Pay this code now, with any bank's app:\n  ${charge.code}`);
    state.paid = await arrival(state, charge.txid);
    if (state.paid) return inWords(state.paid);
    throw new CheckFailed(
      state.signal.aborted ? 'the check was ended' : 'nothing came in time',
      'Pay the code with a bank’s app within the time.',
    );
  },
};

function arrival({ client, payWithinMs, signal }: State, txid: string) {
  return untilDone({ withinMs: payWithinMs, signal }, async () => paidBy(await client.getCharge(txid)));
}
