import { createHash } from 'node:crypto';
import { centavosFrom, formatReais } from '@payments/domain/money';
import { isAcceptableWebhookUrl, type WebhookUrlRules } from '@payments/webhooks/webhook-url';
import { Type } from '@sinclair/typebox';
import validator from 'validator';
import { ApiError, type Conditions, field, rules, wrongField } from '../../http/errors/api-error.ts';
import { isLonger, readText } from '../../http/readers.ts';
import { amounts, lengths, longestExpiry } from './schemas.ts';

/** A valid create request; amount in centavos. */
export type PaymentRequest = {
  amount: number;
  email: string | null;
  observation: string | null;
  webhookUrl: string | null;
  reference: string | null;
  /** Whole seconds. */
  expiresIn: number | null;
  /** For the payer. */
  description: string | null;
};

type PaymentRules = { maxAmount: number; webhooks: WebhookUrlRules };

/**
 * Validates a create request field by field (Contract: validation). No schema expresses the contract's messages,
 * their order and the store's own maximum.
 * @throws ApiError 400 for the first wrong field
 */
export function readPaymentRequest(body: unknown, { maxAmount, webhooks }: PaymentRules): PaymentRequest {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  return {
    amount: readAmount(fields.amount, maxAmount),
    email: orNull(fields.email, readEmail),
    observation: orNull(fields.observation, readObservation),
    webhookUrl: readWebhookUrl(fields.webhookUrl ?? null, webhooks),
    reference: orNull(fields.reference, readReference),
    expiresIn: orNull(fields.expiresIn, readExpiresIn),
    description: orNull(fields.description, readDescription),
  };
}

/** Null is the same as absent. */
function orNull<T>(value: unknown, read: (value: unknown) => T): T | null {
  return value === undefined || value === null ? null : read(value);
}

function readAmount(value: unknown, maxAmount: number): number {
  if (typeof value !== 'number') throw notANumber();
  if (value < amounts.least / 100) throw wrongAmount('amountTooLow', tooLow(amounts.least));
  if (value > maxAmount / 100) throw wrongAmount('amountTooHigh', tooHigh(maxAmount));
  const amount = centavosFrom(value);
  if (amount === undefined) throw notANumber();
  return amount;
}

function notANumber() {
  return wrongField('amount', rules.number);
}

/** The API and the panel show the same sentence (Contract: messages). */
function wrongAmount(kind: 'amountTooLow' | 'amountTooHigh', message: string): ApiError {
  const rule = { says: message, pt: () => message };
  return new ApiError(400, message, { kind, field: { name: 'amount', rule } });
}

function tooLow(centavos: number): string {
  return `Valor mínimo permitido para geração de pagamentos é R$ ${formatReais(centavos)}.`;
}

function tooHigh(centavos: number): string {
  return `Valor máximo permitido para geração de pagamentos é R$ ${formatReais(centavos)}.`;
}

function readEmail(value: unknown): string {
  // isEmail throws on a lone surrogate.
  if (typeof value !== 'string' || !value.isWellFormed() || !validator.isEmail(value))
    throw wrongField('email', rules.email);
  return value;
}

function readObservation(value: unknown): string {
  return readTextWithin('observation', value, { shortest: 0, longest: lengths.observation });
}

/** Reads a store's own name for a payment. @throws ApiError 400 for anything but a text of 1 to 100 characters */
export function readReference(value: unknown): string {
  return readTextWithin('reference', value, { shortest: 1, longest: lengths.reference });
}

function readDescription(value: unknown): string {
  return readTextWithin('description', value, { shortest: 1, longest: lengths.description });
}

function readTextWithin(name: string, value: unknown, length: { shortest: 0 | 1; longest: number }): string {
  if (typeof value !== 'string') throw wrongField(name, rules.string);
  if (value.length < length.shortest) throw wrongField(name, rules.longEnough(length.shortest));
  if (isLonger(value, length.longest)) throw wrongField(name, rules.shortEnough(length.longest));
  return readText(name, value);
}

/** @throws ApiError 400 for a URL that webhooks may not go to (Contract: validation) */
export function readWebhookUrl(value: unknown, allowed: WebhookUrlRules): string | null {
  if (value === null) return null;
  if (typeof value !== 'string' || !isAcceptableWebhookUrl(value, allowed)) {
    throw wrongField('webhookUrl', rules.url);
  }
  return value;
}

function readExpiresIn(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw wrongField('expiresIn', rules.integer);
  if (value < 1) throw wrongField('expiresIn', rules.atLeast(1));
  if (value > longestExpiry) throw wrongField('expiresIn', rules.atMost(longestExpiry));
  return value;
}

/**
 * @param header the `Idempotency-Key` header
 * @returns the SHA-256 of the key, its only stored form since it may name a person; undefined without the header
 * @throws ApiError 400 for a key that is empty, or longer than 255 characters: who sends one believes to be protected
 */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  const key = textOf(header);
  // Some clients write the key in quotes (RFC 9651, 3.3.3): two orders without a number must not be one payment.
  if (header !== undefined && key.replaceAll('"', '').trim() === '')
    throw wrongField('Idempotency-Key', rules.longEnough(1));
  if (key.length > lengths.idempotencyKey)
    throw wrongField('Idempotency-Key', rules.shortEnough(lengths.idempotencyKey));
  return hashOfKey(header);
}

/** @returns the stored form of a key, whatever its length; undefined without the header */
export function hashOfKey(header: string | string[] | undefined): string | undefined {
  const key = textOf(header);
  return key === '' ? undefined : createHash('sha256').update(key).digest('base64url');
}

const textOf = (header: string | string[] | undefined) =>
  Array.isArray(header) ? header.join(', ') : (header ?? '');

/** @returns the header for a route's schema; `readIdempotencyKey` reads it */
export const idempotencyKeyHeader = (description: string, examples?: string[]) => ({
  'Idempotency-Key': Type.Optional(
    Type.String({
      maxLength: lengths.idempotencyKey,
      pattern: '\\S',
      description,
      ...(examples && { examples }),
    }),
  ),
});

export const ofReference: Conditions = {
  referenceNotAString: field('reference', rules.string, '`reference` is not a string.'),
  referenceEmpty: field('reference', rules.longEnough(1), '`reference` is empty.'),
  referenceTooLong: field(
    'reference',
    rules.shortEnough(lengths.reference),
    `\`reference\` is longer than ${lengths.reference} characters.`,
  ),
  referenceNullCharacter: field('reference', rules.noNull, '`reference` contains U+0000.'),
};

const ofDescription: Conditions = {
  descriptionNotAString: field('description', rules.string, '`description` is not a string.'),
  descriptionEmpty: field('description', rules.longEnough(1), '`description` is empty.'),
  descriptionTooLong: field(
    'description',
    rules.shortEnough(lengths.description),
    `\`description\` is longer than ${lengths.description} characters.`,
  ),
  descriptionNullCharacter: field('description', rules.noNull, '`description` contains U+0000.'),
};

export const ofIdempotencyKey: Conditions = {
  idempotencyKeyEmpty: field('Idempotency-Key', rules.longEnough(1), '`Idempotency-Key` is empty.'),
  idempotencyKeyTooLong: field(
    'Idempotency-Key',
    rules.shortEnough(lengths.idempotencyKey),
    `\`Idempotency-Key\` is longer than ${lengths.idempotencyKey} characters.`,
  ),
};

/** The errors of a creation's fields, in the order of validation. */
const ofFields: Conditions = {
  amountNotANumber: field(
    'amount',
    rules.number,
    '`amount` is missing, is not a number, or has more than two decimals.',
  ),
  amountTooLow: {
    code: 'amountTooLow',
    status: 400,
    message: tooLow(amounts.least),
    when: `\`amount\` is less than ${amounts.least / 100}.`,
  },
  amountTooHigh: {
    code: 'amountTooHigh',
    status: 400,
    message: tooHigh(amounts.most),
    when: `\`amount\` is more than ${amounts.most / 100}, or than the store’s raised maximum, which the message then names.`,
  },
  emailInvalid: field('email', rules.email, '`email` is not a valid e-mail address.'),
  observationNotAString: field('observation', rules.string, '`observation` is not a string.'),
  observationTooLong: field(
    'observation',
    rules.shortEnough(lengths.observation),
    `\`observation\` is longer than ${lengths.observation} characters.`,
  ),
  observationNullCharacter: field('observation', rules.noNull, '`observation` contains U+0000.'),
  webhookUrlInvalid: field(
    'webhookUrl',
    rules.url,
    '`webhookUrl` is not an http or https URL, has a user or password, or names an internal address.',
  ),
  ...ofReference,
  expiresInNotAnInteger: field('expiresIn', rules.integer, '`expiresIn` is not a whole number.'),
  expiresInTooLow: field('expiresIn', rules.atLeast(1), '`expiresIn` is less than 1.'),
  expiresInTooHigh: field('expiresIn', rules.atMost(longestExpiry), '`expiresIn` is more than 30 days.'),
  ...ofDescription,
};

/** The errors of a creation, in the order of validation. */
export const ofCreation = [ofFields, ofIdempotencyKey, 'idempotencyKeyReused', 'referenceTaken'] as const;
