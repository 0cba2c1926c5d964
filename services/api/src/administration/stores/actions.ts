import type { Queryable } from '@payments/database/connection';
import { type Author, changeOnRecord, differences, recordChange } from '@payments/database/record/changes';
import {
  findStore,
  insertStore,
  lockStore,
  type Store,
  type StoreChange,
  updateStore,
} from '@payments/database/stores/stores';
import { deactivateToken, findNewestToken, rotateToken } from '@payments/database/stores/tokens';
import {
  findWebhookSecrets,
  rotateWebhookSecret,
  type WebhookSecrets,
} from '@payments/database/stores/webhook-secrets';
import { inTransaction } from '@payments/database/transaction';
import { webhookBody } from '@payments/domain/events';
import { isId, newId } from '@payments/domain/identifiers';
import { centavosFrom } from '@payments/domain/money';
import { paymentView } from '@payments/domain/payment';
import { banksOf, testBank } from '@payments/domain/route-charge';
import { optionalEvents, tokenDeeds } from '@payments/domain/store-choices';
import { newTestToken, newToken, tokenHash } from '@payments/domain/tokens';
import type { Banks } from '@payments/pix/banks';
import { webhookSecretOwner } from '@payments/startup/stored-secrets';
import type { AttemptResult } from '@payments/webhooks/attempt-result';
import type { Sender } from '@payments/webhooks/sender';
import { newWebhookSecret, signatureHeaders, signingKey } from '@payments/webhooks/signature';
import type { Static } from '@sinclair/typebox';
import type { AdministrationContext } from '../../context.ts';
import { rules, wrongField } from '../../http/errors/api-error.ts';
import { errors } from '../../http/errors/errors.ts';
import { isBlank, readOneOf, readText } from '../../http/readers.ts';
import { tellAuthor } from '../../people/mails/personal-mails.ts';
import { amounts } from '../../public/payments/schemas.ts';
import { recordAct } from '../record/actions.ts';
import type { NewStoreBody, StoreChangeBody } from './schemas.ts';

/** Actions on stores: create, change, give tokens, secrets and test events. */

/**
 * Creates an active store with its own webhook secret; a test store for ever, if it is to be one (Contract: test stores).
 * @throws ApiError 400 for the first wrong field, 409 for a test store without a test bank
 */
export async function createStore(
  { db, banks, now, secrets }: Pick<AdministrationContext, 'db' | 'banks' | 'now' | 'secrets'>,
  body: Static<typeof NewStoreBody>,
  by: Author,
): Promise<Store> {
  const fields = readStoreFields(body, banks);
  const test = body.test ?? false;
  if (test && fields.banks) throw wrongField('banks', rules.empty);
  if (test && !banks.find(testBank)) throw errors.noTestBank();
  const id = newId();
  const store = {
    id,
    name: readName(body.name),
    feePpm: fields.feePpm ?? null,
    feeFixed: fields.feeFixed ?? null,
    maxAmount: fields.maxAmount ?? amounts.most,
    reviewAbove: fields.reviewAbove ?? null,
    banks: fields.banks ?? null,
    test,
    events: fields.events ?? [],
    tokenMay: fields.tokenMay ?? [],
    refundLimitPerDay: fields.refundLimitPerDay ?? null,
    webhookSecret: secrets.seal(newWebhookSecret(), webhookSecretOwner(id)),
    createdAt: now(),
  };
  const { webhookSecret: _, createdAt: at, id: storeId, ...to } = store;
  return inTransaction(db, async (trx) => {
    const created = await insertStore(trx, store);
    await recordChange(trx, by, { action: 'store.created', at, storeId, to });
    return created;
  });
}

/**
 * Changes some fields of a store and leaves the others. An equal value is no change.
 * @param changeOf returns the fields to change, given the store that nobody else changes meanwhile
 * @throws ApiError 404 for an unknown store, 400 for banks of a test store
 */
export async function changeStore(
  { db, now }: Pick<AdministrationContext, 'db' | 'now'>,
  id: string,
  changeOf: (store: Store) => StoreChange,
  by: Author,
): Promise<Store> {
  return inTransaction(db, async (trx) => {
    const store = await lockStore(trx, id);
    if (!store) throw errors.storeNotFound();
    const change = changeOf(store);
    if (store.test && change.banks) throw wrongField('banks', rules.empty);
    const after = { ...store, ...change };
    const { from, to } = differences(store, after);
    if (Object.keys(to).length === 0) return store;
    await updateStore(trx, id, to);
    await recordChange(trx, by, { action: 'store.changed', at: now(), storeId: id, from, to });
    return after;
  });
}

/**
 * Reads a store's fields from a body. Amounts become centavos, percentages parts per million.
 * @throws ApiError 400 for an amount with more than two decimals, a percentage with more than four, or unknown banks,
 * events or deeds
 */
export function readStoreFields(body: Static<typeof StoreChangeBody>, banks: Banks): StoreChange {
  const change: StoreChange = {};
  if (typeof body.name === 'string') change.name = readName(body.name);
  if (typeof body.active === 'boolean') change.active = body.active;
  if (body.feePercent !== undefined) change.feePpm = body.feePercent === null ? null : ppm(body.feePercent);
  if (body.feeFixed !== undefined) change.feeFixed = centavos('feeFixed', body.feeFixed);
  if (body.maxAmount !== undefined) change.maxAmount = centavos('maxAmount', body.maxAmount) ?? amounts.most;
  if (body.reviewAbove !== undefined) change.reviewAbove = centavos('reviewAbove', body.reviewAbove);
  if (body.banks !== undefined) change.banks = body.banks === null ? null : readBankIds(body.banks, banks);
  if (body.events) change.events = readSome('events', body.events, optionalEvents);
  if (body.tokenMay) change.tokenMay = readSome('tokenMay', body.tokenMay, tokenDeeds);
  if (body.refundLimitPerDay !== undefined)
    change.refundLimitPerDay = centavos('refundLimitPerDay', body.refundLimitPerDay);
  return change;
}

/** @throws ApiError 400 for no bank, one that is not configured or that of test stores, or one given twice */
function readBankIds(ids: readonly string[], banks: Banks): string[] {
  if (ids.length === 0) throw wrongField('banks', rules.notEmpty);
  const possible = banksOf({ test: false, banks: null }, banks.all()).map(({ id }) => id);
  if (ids.some((id) => !possible.includes(id))) throw wrongField('banks', rules.oneOf(possible));
  if (new Set(ids).size < ids.length) throw wrongField('banks', rules.unique);
  return [...ids];
}

/** @throws ApiError 400 for an unknown value, or one given twice */
function readSome<T extends string>(name: string, given: readonly string[], allowed: readonly T[]): T[] {
  const values = given.map((value) => readOneOf(name, value, allowed));
  if (new Set(values).size < values.length) throw wrongField(name, rules.unique);
  return values;
}

/** @throws ApiError 400 for a name that is blank, or that the database can't store */
function readName(name: string): string {
  const text = readText('name', name);
  if (isBlank(text)) throw wrongField('name', rules.notEmpty);
  return text;
}

function centavos(name: string, reais: number | null): number | null {
  if (reais === null) return null;
  const value = centavosFrom(reais);
  if (value === undefined) throw wrongField(name, rules.twoDecimals);
  return value;
}

function ppm(percent: number): number {
  // The shortest text of a double has as many decimals as the client wrote.
  if (!/^\d+(\.\d{1,4})?$/.test(String(percent))) throw wrongField('feePercent', rules.fourDecimals);
  return Math.round(percent * 10_000);
}

export type IssuedToken = { id: string; token: string; createdAt: Date; expiresAt: Date | null };

/** A state that a person's page showed: null for nothing yet, undefined for a program, which saw no page. */
type Seen = string | null | undefined;

/**
 * Generates a store's token. The previous one stops working at once (Contract: newest token).
 * @param wanted `seen` is the newest token on the person's page, which told what stops working
 * @returns the token, which is never shown again
 * @throws ApiError 400 for an expiry that is not in the future, 404 for an unknown store, 409 if the newest token is not
 *   the one that was seen
 */
export async function issueToken(
  { db, now }: Pick<AdministrationContext, 'db' | 'now'>,
  storeId: string,
  { expiresAt, seen }: { expiresAt: Date | null; seen?: Seen },
  by: Author,
): Promise<IssuedToken> {
  const createdAt = now();
  if (expiresAt && expiresAt <= createdAt) throw wrongField('expiresAt', rules.inFuture);
  const store = await findStore(db, storeId);
  if (!store) throw errors.storeNotFound();
  const token = store.test ? newTestToken() : newToken();
  const id = newId();
  await changeOnRecord(db, by, async (trx) => {
    if (seen !== undefined) {
      await lockStore(trx, storeId);
      if ((await findNewestToken(trx, storeId)) !== seen) throw errors.tokenGeneratedMeanwhile();
    }
    const isKnown = await rotateToken(trx, { id, storeId, hash: tokenHash(token), createdAt, expiresAt });
    if (!isKnown) throw errors.storeNotFound();
    const store = (await findStore(trx, storeId))?.name ?? storeId;
    await tellAuthor(trx, { change: 'token_made', store }, { by, at: createdAt });
    const to = { expiresAt: expiresAt?.toISOString() ?? null };
    return { action: 'token.created', at: createdAt, storeId, subject: id, to };
  });
  return { id, token, createdAt, expiresAt };
}

/**
 * Ends a token at once. Ending it again changes nothing.
 * @throws ApiError 404 for a token that the store does not have
 */
export async function endToken(
  { db, now }: Pick<AdministrationContext, 'db' | 'now'>,
  { storeId, id }: { storeId: string; id: string },
  by: Author,
): Promise<void> {
  const at = now();
  await changeOnRecord(db, by, async (trx) => {
    const ended = isId(id) ? await deactivateToken(trx, { id, storeId, now: at }) : undefined;
    if (!ended) throw errors.tokenNotFound();
    return ended.isNew ? { action: 'token.deactivated', at, storeId, subject: id } : undefined;
  });
}

const overlapMs = 24 * 60 * 60_000;

type Context = Pick<AdministrationContext, 'db' | 'now' | 'secrets'>;

/**
 * @returns the secrets that sign a store's webhooks now
 * @throws ApiError 404 for an unknown store
 */
async function secretsInForce({ db, now, secrets }: Context, storeId: string): Promise<WebhookSecrets> {
  const stored = await findWebhookSecrets(db, storeId);
  if (!stored) throw errors.storeNotFound();
  const { previousSecret, previousUntil } = stored;
  const owner = webhookSecretOwner(storeId);
  const secret = secrets.open(stored.secret, owner);
  const isOver = previousSecret === null || previousUntil === null || previousUntil <= now();
  if (isOver) return { secret, previousSecret: null, previousUntil: null };
  return { secret, previousSecret: secrets.open(previousSecret, owner), previousUntil };
}

/** @returns the same, and records who sees them */
export async function showSecrets(context: Context, storeId: string, by: Author): Promise<WebhookSecrets> {
  const secrets = await secretsInForce(context, storeId);
  await recordAct(context, by, { action: 'webhook_secret.shown', storeId, kind: storeId });
  return secrets;
}

/** @returns the end of the last rotation's overlap, which tells nothing of the secrets; null before the first rotation */
export async function lastRotation(db: Queryable, storeId: string): Promise<string | null> {
  const stored = await findWebhookSecrets(db, storeId);
  return stored?.previousUntil?.toISOString() ?? null;
}

/**
 * Puts a new secret in force. The previous one signs beside it for 24 hours (Contract: signature).
 * @param seen the last rotation on the person's page, which promised that the secret of that moment goes on signing
 * @returns the secrets in force then
 * @throws ApiError 404 for an unknown store, 409 if the last rotation is not the one that was seen
 */
export async function renewSecret(
  context: Context,
  storeId: string,
  by: Author,
  seen?: Seen,
): Promise<WebhookSecrets> {
  const at = context.now();
  const previousUntil = new Date(at.getTime() + overlapMs);
  const secret = context.secrets.seal(newWebhookSecret(), webhookSecretOwner(storeId));
  await changeOnRecord(context.db, by, async (trx) => {
    if (seen !== undefined) {
      await lockStore(trx, storeId);
      if ((await lastRotation(trx, storeId)) !== seen) throw errors.secretRotatedMeanwhile();
    }
    if (!(await rotateWebhookSecret(trx, storeId, { secret, previousUntil }))) throw errors.storeNotFound();
    const to = { previousUntil: previousUntil.toISOString() };
    return { action: 'webhook_secret.rotated', at, storeId, to };
  });
  return secretsInForce(context, storeId);
}

/**
 * Sends a `payment.created` of a payment that does not exist, signed like every webhook (Contract: signature).
 * @throws ApiError 404 for an unknown store
 */
export async function sendTestEvent(
  context: AdministrationContext,
  sender: Sender,
  { storeId, url }: { storeId: string; url: string },
): Promise<AttemptResult> {
  const { secret, previousSecret } = await secretsInForce(context, storeId);
  const secrets = previousSecret === null ? [secret] : [secret, previousSecret];
  const timestamp = context.now();
  const body = bodyOf(context, storeId, timestamp);
  const signature = signatureHeaders({ id: newId(), timestamp, body, keys: secrets.map(signingKey) });
  const headers = { ...signature, 'content-type': 'application/json', 'user-agent': 'public-payments/test' };
  return sender.send({ url, headers, body });
}

function bodyOf({ publicUrl }: AdministrationContext, storeId: string, createdAt: Date): string {
  const none = { feeAmount: null, liquidValue: null, email: null, webhookUrl: null, copyAndPaste: null };
  const payment = {
    id: newId(),
    storeId,
    status: 'pending',
    amount: 1_000,
    observation: 'Evento de teste: este pagamento é fictício.',
    isPublic: true,
    reference: null,
    expiresIn: null,
    description: null,
    createdAt,
    ...none,
  } as const;
  const text = JSON.stringify(paymentView(payment, publicUrl));
  const nothing = { previousStatus: null, previous: null, refund: null };
  return webhookBody({ type: 'payment.created', payment: text, ...nothing });
}
