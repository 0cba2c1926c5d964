import { isObject, type JsonObject, textOf } from './json.ts';

/** What a refusal says: the last segment of the problem's type, and its words. */
export type Problem = { type: string | null; detail: string | null };

const LONGEST_DETAIL = 500;

/**
 * Reads problem+json (API Pix 2.9, `Problema`), or OAuth's `{error, error_description}` (RFC 6749 §5.2).
 * A violation's value is left out and `secrets` are struck: a PSP may repeat what it was sent.
 */
export function readProblem(body: unknown, secrets: string[]): Problem {
  if (!isObject(body)) return { type: null, detail: null };
  const type = textOf(body.type)?.split('/').at(-1) ?? textOf(body.error);
  const words = [
    textOf(body.detail) ?? textOf(body.error_description) ?? textOf(body.title),
    ...violations(body),
  ];
  const detail = words.filter(Boolean).join('; ');
  return { type: struck(type ?? null, secrets), detail: struck(detail || null, secrets) };
}

function violations(body: JsonObject): string[] {
  const list = Array.isArray(body.violacoes) ? body.violacoes.filter(isObject) : [];
  return list.map((one) => [textOf(one.propriedade), textOf(one.razao)].filter(Boolean).join(' '));
}

function struck(text: string | null, secrets: string[]): string | null {
  if (text === null) return null;
  const clean = secrets.filter(Boolean).reduce((left, secret) => left.replaceAll(secret, '…'), text);
  return clean.slice(0, LONGEST_DETAIL);
}
