import { centavosFrom } from '@payments/domain/money';
import { isAcceptableWebhookUrl, type WebhookUrlRules } from '@payments/webhooks/webhook-url';
import validator from 'validator';
import { wrongField } from '../errors/condition.ts';
import { errors } from '../errors/errors.ts';
import { rules } from '../errors/field-rules.ts';
import { readText } from '../field-values.ts';
import { readReference } from './reference.ts';

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

/**
 * Validates a create request field by field (Contract: validation). No schema expresses the contract's messages,
 * their order and the store's own maximum.
 * @throws ApiError 400 for the first wrong field
 */
export function readPaymentRequest(body: unknown, { maxAmount, webhooks }: PaymentRules): PaymentRequest {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  return {
    amount: readAmount(fields.amount, maxAmount),
    email: readEmail(fields.email ?? null),
    observation: readObservation(fields.observation ?? null),
    webhookUrl: readWebhookUrl(fields.webhookUrl ?? null, webhooks),
    reference: fields.reference == null ? null : readReference(fields.reference),
    expiresIn: readExpiresIn(fields.expiresIn ?? null),
  };
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

function readEmail(value: unknown): string | null {
  if (value === null) return null;
  // isEmail throws on a lone surrogate.
  if (typeof value !== 'string' || !value.isWellFormed() || !validator.isEmail(value))
    throw wrongField('email', rules.email);
  return value;
}

function readObservation(value: unknown): string | null {
  if (value === null) return null;
  if (typeof value !== 'string') throw wrongField('observation', rules.string);
  // A surrogate pair counts as one character.
  if ([...value].length > maxObservation) {
    throw wrongField('observation', rules.shortEnough(maxObservation));
  }
  return readText('observation', value);
}

/** @throws ApiError 400 for a URL that webhooks may not go to (Contract: validation) */
export function readWebhookUrl(value: unknown, allowed: WebhookUrlRules): string | null {
  if (value === null) return null;
  if (typeof value !== 'string' || !isAcceptableWebhookUrl(value, allowed)) {
    throw wrongField('webhookUrl', rules.url);
  }
  return value;
}

function readExpiresIn(value: unknown): number | null {
  if (value === null) return null;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw wrongField('expiresIn', rules.integer);
  if (value < 1) throw wrongField('expiresIn', rules.atLeast(1));
  if (value > longestExpiry) throw wrongField('expiresIn', rules.atMost(longestExpiry));
  return value;
}
