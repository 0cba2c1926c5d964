import { isObject, type JsonObject, textOf } from './json.ts';

/** The content of a refusal: the last segment of the problem's type, and its words. */
export type Problem = { type: string | null; detail: string | null };

const LONGEST_DETAIL = 500;

/**
 * Reads problem+json (API Pix 2.9, `Problema`), OAuth's `{error, error_description}` (RFC 6749 §5.2), and banks' own
 * forms: `{nome, mensagem}`, `{erros: [{codigo, mensagem}]}`, `{mensagens: [{codigo, mensagem}]}`, `{error, message}`,
 * a gateway's `{fault: {faultstring}}`, and the fault of a SOAP response.
 * It leaves out the values of violations and strikes out `secrets`, since a PSP may repeat what it was sent.
 */
export function readProblem(body: unknown, secrets: string[]): Problem {
  if (typeof body === 'string') return struckProblem(null, soapFault(body), secrets);
  if (!isObject(body)) return { type: null, detail: null };
  const [first] = [body.erros, body.mensagens, body.fault].flat().filter(isObject);
  const type = textOf(body.type)?.split('/').at(-1) ?? name(body) ?? name(first);
  const words = [said(body) ?? said(first) ?? textOf(body.title), ...violations(body)];
  return struckProblem(type, words.filter(Boolean).join('; '), secrets);
}

function struckProblem(type: string | null, detail: string | null, secrets: string[]): Problem {
  return { type: struck(type, secrets), detail: struck(detail || null, secrets) };
}

function name(body: JsonObject | undefined): string | null {
  return firstText(body, ['nome', 'codigo', 'error']);
}

function said(body: JsonObject | undefined): string | null {
  return firstText(body, ['detail', 'error_description', 'mensagem', 'message', 'faultstring']);
}

function firstText(body: JsonObject | undefined, names: string[]): string | null {
  const value = names.map((one) => body?.[one]).find((one) => one !== undefined && one !== '');
  return typeof value === 'number' ? String(value) : textOf(value);
}

function soapFault(text: string): string | null {
  return /<(?:\w+:)?(?:faultstring|Text)[^<>]*>([^<]+)</.exec(text)?.[1]?.trim() ?? null;
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
