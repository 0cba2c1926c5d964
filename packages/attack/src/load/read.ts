import { breach, type PaymentBody, type SeenPayment } from '../observations.ts';
import { confirmsMoney } from '../promises/bank-facts.ts';
import { isMoney, moneyOf, say } from '../promises/charged.ts';
import { centavos } from '../verdict/evidence.ts';
import { judgeRefusal } from './refusals.ts';
import { anyStore, type World } from './world.ts';

type List = { items: PaymentBody[]; total: number };

/** Reads one of the store's payments, which must exist and be the same as in its create response. */
export async function readOwn(world: World): Promise<void> {
  const store = anyStore(world);
  if (!store || store.payments.length === 0) return;
  const payment = world.random.pick(store.payments);
  const answer = await world.api<PaymentBody>('read', at(payment), { token: store.token });
  if (answer.status === 404) missing(world, payment);
  else if (answer.status === 200) compare(world, payment, answer.body);
  else await judgeRefusal(world, store, answer, 'a read');
}

/** Reads another store's payment, which must not be found. */
export async function readForeign(world: World): Promise<void> {
  const { observations, random } = world;
  const store = anyStore(world);
  const other = random.pick(observations.stores.filter((one) => one !== store));
  if (!store || !other || other.payments.length === 0) return;
  const payment = random.pick(other.payments);
  const answer = await world.api<{ message: string }>('read another’s', at(payment), {
    token: store.token,
  });
  if (answer.status === null || answer.status >= 500 || answer.status === 401) return;
  if (answer.status === 404 && answer.body.message === 'Pagamento não encontrado.') return;
  const says = `${store.name} asked for a payment of ${other.name} and was answered ${answer.status}`;
  breach(observations, 6, says, payment.id);
}

/** Lists the store's newest payments: all its own, including those created before the request. */
export async function listOwn(world: World): Promise<void> {
  const store = anyStore(world);
  if (!store) return;
  const acknowledged = new Set(store.payments.map(({ id }) => id));
  const status = world.random.chance(0.3) ? '&status=approved' : '';
  const path = `/api-public/payments?limit=100${status}`;
  const answer = await world.api<List>('list', path, { token: store.token });
  if (answer.status !== 200) return judgeRefusal(world, store, answer, 'a list');
  const { items, total } = answer.body;
  for (const { id, storeId } of items) {
    if (storeId === store.id) continue;
    breach(world.observations, 6, `the list of ${store.name} shows ${storeId}'s`, id);
  }
  if (!status && total < acknowledged.size) {
    const says = `the list of ${store.name} counts ${total}; ${acknowledged.size} creations were answered before`;
    breach(world.observations, 1, says);
  }
}

const at = ({ id }: SeenPayment) => `/api-public/payments/${id}`;

function missing({ observations }: World, payment: SeenPayment): void {
  const says = 'a payment that was answered with 200 was not found';
  breach(observations, 1, says, payment.id);
}

function compare({ observations }: World, payment: SeenPayment, read: PaymentBody): void {
  const fields = ['id', 'storeId', 'createdAt', 'observation', 'email'] as const;
  const changed = fields.filter((field) => read[field] !== payment.body[field]);
  if (changed.length > 0) breach(observations, 1, `its ${changed.join(', ')} changed`, payment.id);
  compareMoney(observations, payment, read);
}

/** The amount follows the bank only in confirming statuses; the fees always follow the amount. */
function compareMoney(
  observations: World['observations'],
  { id, request, store }: SeenPayment,
  read: PaymentBody,
): void {
  const amount = confirmsMoney(read.status) ? read.amount : request.amount;
  const expected = moneyOf(centavos(amount), store);
  if (isMoney(read, expected)) return;
  const says = `a read shows ${read.status} with ${say(read)}, not ${say(expected)}`;
  breach(observations, 11, says, id);
}
