import { centavosFrom } from '@payments/domain/money';
import { isAcceptableWebhookUrl, type WebhookUrlRules } from '@payments/webhooks/webhook-url';
import validator from 'validator';
import { wrongField } from '../../http/errors/condition.ts';
import { errors } from '../../http/errors/errors.ts';
import { rules } from '../../http/errors/field-rules.ts';
import { readText } from '../../http/field-values.ts';

/** A valid create request; amount in centavos. */
export type PaymentRequest = {
  amount: number;
  email: string | null;
  observation: string | null;
  webhookUrl: string | null;
  reference: string | null;
  /** Whole seconds. */
  expiresIn: number | null;
};

export type PaymentRules = { maxAmount: number; webhooks: WebhookUrlRules };

const minAmount = 500;
const maxObservation = 2_048;
const longestExpiry = 2_592_000;
export const longestReference = 100;

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
  };
}

/** Null is the same as absent. */
function orNull<T>(value: unknown, read: (value: unknown) => T): T | null {
  return value === undefined || value === null ? null : read(value);
}

function readAmount(value: unknown, maxAmount: number): number {
  if (typeof value !== 'number') throw notANumber();
  if (value < minAmount / 100) throw errors.amountTooLow(minAmount);
  if (value > maxAmount / 100) throw errors.amountTooHigh(maxAmount);
  const amount = centavosFrom(value);
  if (amount === undefined) throw notANumber();
  return amount;
}

function notANumber() {
  return wrongField('amount', rules.number);
}

function readEmail(value: unknown): string {
  // isEmail throws on a lone surrogate.
  if (typeof value !== 'string' || !value.isWellFormed() || !validator.isEmail(value))
    throw wrongField('email', rules.email);
  return value;
}

function readObservation(value: unknown): string {
  return readTextWithin('observation', value, { shortest: 0, longest: maxObservation });
}

/** Reads a store's own name for a payment. @throws ApiError 400 for anything but a text of 1 to 100 characters */
export function readReference(value: unknown): string {
  return readTextWithin('reference', value, { shortest: 1, longest: longestReference });
}

function readTextWithin(name: string, value: unknown, length: { shortest: number; longest: number }): string {
  if (typeof value !== 'string') throw wrongField(name, rules.string);
  // A surrogate pair counts as one character.
  const characters = [...value].length;
  if (characters < length.shortest) throw wrongField(name, rules.longEnough(length.shortest));
  if (characters > length.longest) throw wrongField(name, rules.shortEnough(length.longest));
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
