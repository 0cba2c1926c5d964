import validator from 'validator';
import { wrongField } from '../../http/errors/condition.ts';
import { rules } from '../../http/errors/field-rules.ts';

/** @throws ApiError 400 for a value that is no e-mail */
export function readEmail(value: unknown): string {
  const email = typeof value === 'string' ? value.trim() : '';
  if (!email.isWellFormed() || !validator.isEmail(email)) throw wrongField('email', rules.email);
  return email;
}
