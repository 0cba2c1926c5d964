import { withoutEndSlashes } from '@payments/runtime/addresses';
import { ALL_SCOPES } from '../access.ts';
import { Problem } from '../problem.ts';
import { type BankRules, type Credentials, type Rendered, TokenRefused, type TokenRequest } from './rules.ts';

const ERRORS = 'https://pix.bcb.gov.br/api/v2/error/';

const titles: Record<number, string> = {
  400: 'Requisição inválida.',
  401: 'Não autorizado.',
  403: 'Acesso negado.',
  404: 'Não encontrado.',
  429: 'Muitas requisições.',
  500: 'Erro interno do servidor.',
  503: 'Serviço indisponível.',
};

/** problem+json (API Pix 2.9, `Problema`). */
export function renderStandard({ status, name, message, violations }: Problem): Rendered {
  const body = {
    type: ERRORS + name,
    title: titles[status] ?? 'Erro.',
    status,
    detail: message,
    ...(violations.length > 0 && { violacoes: violations }),
  };
  return { status, type: 'application/problem+json', body: JSON.stringify(body) };
}

/** The text of a refusal, its violations included, for banks that have one text for it. */
export function wordsOf({ message, violations }: Problem): string {
  return [message, ...violations.map(({ propriedade, razao }) => `${propriedade} ${razao}`)].join(' ');
}

export function json(status: number, body: unknown): Rendered {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}

/** The Authorization header's id and secret, as they stand there; null without one. */
export function basicOf({ authorization = '' }: TokenRequest): { id: string; secret: string } | null {
  const encoded = /^Basic (.+)$/i.exec(authorization)?.[1];
  if (!encoded) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const end = text.indexOf(':');
  return end === -1 ? { id: text, secret: '' } : { id: text.slice(0, end), secret: text.slice(end + 1) };
}

export function fromBody({ fields }: TokenRequest): { id: string; secret: string } | null {
  return fields.client_id ? { id: fields.client_id, secret: fields.client_secret ?? '' } : null;
}

export function scopesIn({ fields }: TokenRequest): string[] {
  return (fields.scope ?? '').split(' ').filter(Boolean);
}

/** OAuth's own refusals (RFC 6749 §5.2). */
export function oauthError(status: number, error: string, description?: string): TokenRefused {
  return new TokenRefused(status, { error, ...(description && { error_description: description }) });
}

export function requireForm(request: TokenRequest): void {
  const isForm = request.contentType.startsWith('application/x-www-form-urlencoded');
  if (!isForm)
    throw oauthError(415, 'invalid_request', 'Content-Type must be application/x-www-form-urlencoded');
}

export function requireGrant(grant: string | undefined): void {
  if (grant !== 'client_credentials') throw oauthError(400, 'unsupported_grant_type');
}

/** @returns the credentials with the scopes asked for. @throws TokenRefused without credentials */
export function withScopes(
  credentials: { id: string; secret: string } | null,
  request: TokenRequest,
): Credentials {
  if (!credentials) throw oauthError(401, 'invalid_client', 'Client authentication failed');
  return { ...credentials, scopes: scopesIn(request) };
}

/** Paths below a base, and where tokens are. */
export function pathsBelow(base: string, tokenPaths: string[]) {
  return (_method: string, path: string): string | null => {
    if (tokenPaths.includes(path)) return '/oauth/token';
    return path.startsWith(`${base}/`) ? path.slice(base.length) : null;
  };
}

/** The Central Bank's text. Each bank's file replaces what differs. */
export const standard: BankRules = {
  standardPath: (_method, path) => path,
  tokenSeconds: 3600,
  hasSecret: true,
  readToken(request) {
    requireGrant(request.fields.grant_type);
    const credentials = basicOf(request) ?? fromBody(request) ?? { id: '', secret: '' };
    return { ...credentials, scopes: scopesIn(request) };
  },
  grant(asked, allowed) {
    const known = asked.filter((scope) => ALL_SCOPES.includes(scope));
    return (known.length > 0 ? known : ALL_SCOPES).filter((scope) => allowed.includes(scope));
  },
  admit() {},
  render: renderStandard,
  nullIsAbsent: false,
  showCharge: (charge) => charge,
  createdStatus: 201,
  putAgain() {},
  checkRange() {},
  emptyList: null,
  showListed: (pix) => pix,
  async register({ url }) {
    if (!/^https?:\/\//.test(url))
      throw new Problem(400, 'WebhookOperacaoInvalida', 'webhookUrl não é um endereço HTTP.');
  },
  registeredStatus: 200,
  showRegistered: () => undefined,
  drawsCodes: false,
  callbackAddress: (url) => `${withoutEndSlashes(url)}/pix`,
  showReported: (pix) => pix,
  callsPerMinute: null,
  tokensPerMinute: null,
};
