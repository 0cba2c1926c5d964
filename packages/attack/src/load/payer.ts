import { count, type PaidPix, type PaymentBody, type SeenPayment } from '../observations.ts';
import { bankIds, bankOfCode } from '../system/banks.ts';
import { pause, rest, until, type World } from './world.ts';

type Paid = { endToEndId: string; valor: string };

const patienceMs = 15_000;

/**
 * A customer pays a payment's code at the bank.
 * @returns the Pix, if the bank confirmed it
 */
export async function pay(
  world: World,
  payment: SeenPayment,
  centavos: number,
  more: { secondsAgo?: number; refusesRefunds?: boolean } = {},
): Promise<PaidPix | undefined> {
  await pause(world.random.between(0, 1_500));
  const code = await codeOf(world, payment);
  return code ? payCode(world, payment, { ...more, code, centavos }) : undefined;
}

type Paying = { code: string; centavos: number; secondsAgo?: number; refusesRefunds?: boolean };

async function payCode(
  { bank, observations }: World,
  payment: SeenPayment,
  { code, centavos, ...more }: Paying,
): Promise<PaidPix | undefined> {
  const at = bankOfCode(code);
  if (!at) return undefined;
  // Without a response the payer does not try again: the money may have gone.
  const body = { pixCopiaECola: code, valor: (centavos / 100).toFixed(2), ...more };
  const answer = await bank<Paid>(at, 'pay', '/bank/pay', body);
  if (answer.status !== 201) return undefined;
  const pix = { endToEndId: answer.body.endToEndId, bank: at, amount: centavos, at: answer.to };
  payment.pix.push(pix);
  count(observations, 'Pix paid');
  return pix;
}

/** Pays as the charge expires: the callback, the expiry and the bank's list meet. */
export async function payAtExpiry(world: World, payment: SeenPayment): Promise<void> {
  const left = Date.parse(payment.body.createdAt) + world.expiresMs - Date.now();
  await rest(world, left + world.random.between(-2_000, 2_000));
  if (!world.isOver()) await pay(world, payment, Math.round(payment.body.amount * 100));
}

/** Pays in time; the bank shows the Pix only after the charge is closed. */
export async function payUnseen(world: World, payment: SeenPayment): Promise<void> {
  const { random } = world;
  const expiry = Date.parse(payment.body.createdAt) + world.expiresMs;
  await rest(world, expiry + random.between(1_000, 8_000) - Date.now());
  const secondsAgo = Math.ceil((Date.now() - expiry) / 1_000) + random.between(2, 6);
  if (!world.isOver()) await pay(world, payment, Math.round(payment.body.amount * 100), { secondsAgo });
}

/** Pays what nobody can: a charge that another bank took unheard, whose code was never shown. */
export async function payLeftover(world: World, payment: SeenPayment): Promise<void> {
  const { bank, observations } = world;
  const own = await codeOf(world, payment);
  for (const id of bankIds.filter((one) => own && one !== bankOfCode(own))) {
    const path = `/bank/charges/${payment.id.replaceAll('-', '')}`;
    const charge = await bank<{ pixCopiaECola?: string }>(id, 'bank', path);
    if (charge.status !== 200 || !charge.body.pixCopiaECola) continue;
    const centavos = Math.round(payment.body.amount * 100);
    if (await payCode(world, payment, { code: charge.body.pixCopiaECola, centavos }))
      count(observations, 'leftovers paid');
  }
}

/** The payer's bank takes the money back (MED): whole or in part, at once or slowly; some fail. */
export async function takeBack(world: World, pix: PaidPix, afterMs: number): Promise<void> {
  const { bank, random, observations } = world;
  await rest(world, afterMs);
  const part = Math.ceil(pix.amount * random.pick([1, 1, 0.5, 0.25]));
  const slowMs = random.chance(0.5) ? Math.round(random.between(500, 5_000)) : 0;
  const refused = random.chance(0.25);
  const body = { endToEndId: pix.endToEndId, valor: (part / 100).toFixed(2), slowMs, refused };
  const answer = await bank(pix.bank, 'take back', '/bank/refunds', body);
  if (answer.status === 201) count(observations, refused ? 'MED that come to nothing' : 'MED');
  // The story ends when the bank has finished.
  await pause(slowMs);
}

/** @returns the code from the create response, or from a later read if the charge was registered late */
async function codeOf(world: World, { body, store }: SeenPayment): Promise<string | undefined> {
  if (body.qrCopyPaste) return body.qrCopyPaste;
  return until(patienceMs, async () => {
    if (world.isOver()) return '';
    if (store.token === undefined) return undefined;
    const path = `/api-public/payments/${body.id}`;
    const read = await world.api<PaymentBody>('read', path, { token: store.token });
    return (read.status === 200 && read.body.qrCopyPaste) || undefined;
  });
}
