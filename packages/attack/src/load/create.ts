import { randomUUID } from 'node:crypto';
import type { Answer } from '../ask.ts';
import {
  breach,
  type CreationRequest,
  count,
  type PaymentBody,
  type SeenPayment,
  type SeenStore,
} from '../observations.ts';
import { plans } from './plans.ts';
import { judgeRefusal } from './refusals.ts';
import { anyStore, type UsableStore, until, type World } from './world.ts';

const repeatsAtMost = 6;

/** A checkout: creates a payment, with or without an `Idempotency-Key`, and runs its customer's story. */
export async function createPayment(world: World): Promise<void> {
  const { observations, random } = world;
  const store = anyStore(world);
  if (!store) return;
  const plan = random.pick(plans);
  const request: CreationRequest = {
    amount: plan.amount(random, store),
    observation: randomUUID(),
    ...(random.chance(0.5) && { email: 'cliente@example.com' }),
    ...(random.chance(0.9) && { webhookUrl: world.receivers.urlFor(store, random) }),
  };
  const body = random.chance(0.5)
    ? await createWithKey(world, store, request)
    : await createOnce(world, store, request);
  if (!body) return;
  const payment = enter(world, store, { request, body, plan: plan.name });
  count(observations, `plan ${plan.name}`);
  await plan.play(world, payment);
}

/** Records a payment whose creation was answered. */
export function enter(
  { observations }: World,
  store: SeenStore,
  { request, body, plan }: Pick<SeenPayment, 'request' | 'body' | 'plan'>,
): SeenPayment {
  const payment: SeenPayment = {
    id: body.id,
    store,
    request,
    body,
    answeredAt: Date.now(),
    plan,
    pix: [],
    moves: [],
    refunds: [],
    unansweredRefunds: 0,
  };
  if (observations.payments.has(body.id))
    breach(observations, 1, 'two creations were answered with one id', body.id);
  observations.payments.set(body.id, payment);
  store.payments.push(payment);
  return payment;
}

async function createOnce(world: World, store: UsableStore, request: CreationRequest) {
  const answer = await send(world, store, request);
  if (answer.status === 200) return answer.body;
  if (answer.status === null || answer.status >= 500)
    world.observations.unanswered.push({ storeId: store.id, observation: request.observation });
  else await judgeRefusal(world, store, answer, 'a creation');
  return undefined;
}

/** Repeats until there is a response: any number of tries must make one payment. */
async function createWithKey(world: World, store: SeenStore, request: CreationRequest) {
  const { observations, random } = world;
  const key = randomUUID();
  const tries = random.chance(0.2) ? 2 : 1;
  let tried = 0;
  const answered: PaymentBody[] = [];
  await until(20_000, async () => {
    if (store.token === undefined) return undefined;
    tried += 1;
    const answer = await send(world, store as UsableStore, request, key);
    if (answer.status === 200) answered.push(answer.body);
    return answered.length >= tries || tried >= repeatsAtMost ? true : undefined;
  });
  const [body, ...repeats] = answered;
  if (!body) observations.unanswered.push({ storeId: store.id, observation: request.observation });
  for (const repeat of repeats) {
    if (repeat.id === body?.id) continue;
    breach(observations, 1, `one Idempotency-Key made two payments: ${body?.id}`, repeat.id);
  }
  if (body && random.chance(0.1)) await reuseKey(world, store, request, key);
  return body;
}

async function reuseKey(
  world: World,
  store: SeenStore,
  request: CreationRequest,
  key: string,
): Promise<void> {
  if (store.token === undefined) return;
  const other = { ...request, amount: Math.floor(request.amount) + 1 };
  const answer = await send(world, store as UsableStore, other, key);
  if (answer.status === 200) breach(world.observations, 1, 'a key was taken for two bodies', answer.body.id);
}

function send(
  { api }: World,
  store: UsableStore,
  request: CreationRequest,
  key?: string,
): Promise<Answer<PaymentBody>> {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  const { token } = store;
  return api<PaymentBody>('create', '/api-public/payments', { token, body: request, headers });
}
