import type { AnswerPattern } from './profiles/profile.ts';
import type { HttpAnswer } from './transport.ts';

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A non-empty string, or null. NUL is left out and half a character replaced, since PostgreSQL keeps neither. */
export function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  return value.toWellFormed().replaceAll('\0', '') || null;
}

/**
 * The parsed text, or undefined when it is no JSON. Some banks pass a payer's words on as they are: a line break in them,
 * which JSON does not allow, counts as a blank.
 */
export function parseJson(text: string): unknown {
  return parsed(text) ?? parsed(text.replace(controls, ' '));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has them in no text, and elsewhere they are blanks.
const controls = /[\x00-\x1f]/g;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True if a response matches a pattern: its status, and a word in its body if the pattern has one. */
export function isOneOf(patterns: readonly AnswerPattern[], { status, body }: HttpAnswer): boolean {
  return patterns.some((pattern) => {
    const [wanted, word] = pattern.split(':', 2);
    return Number(wanted) === status && (!word || (JSON.stringify(body) ?? '').includes(word));
  });
}

/**
 * True if a gateway in front of the bank sent the 404, because it knows no such address. Gateways answer with a page or
 * with a few typical fields. Banks name what is missing.
 */
export function isWrongAddress({ status, body }: HttpAnswer): boolean {
  if (status !== 404) return false;
  if (!isObject(body)) return typeof body === 'string';
  const says = (...names: string[]) => names.some((name) => body[name] !== undefined);
  if (says('fault', 'httpMessage') || (says('timestamp') && says('path'))) return true;
  return says('message') && !says('type', 'title', 'detail', 'nome', 'codigo', 'erros', 'mensagens');
}
