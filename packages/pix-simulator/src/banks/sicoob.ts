import { Problem } from '../problem.ts';
import type { BankRules, Rendered, Shape } from './rules.ts';
import {
  json,
  oauthError,
  pathsBelow,
  requireForm,
  requireGrant,
  scopesIn,
  standard,
  wordsOf,
} from './standard.ts';

function render(problem: Problem): Rendered {
  const { status } = problem;
  return json(status, { mensagens: [{ mensagem: wordsOf(problem), codigo: String(status) }] });
}

/** Sicoob: an id without a secret, again in a header of each call; `brcode`; reports without the key. */
export const sicoob: BankRules = {
  ...standard,
  standardPath: pathsBelow('/pix/api/v2', ['/auth/realms/cooperado/protocol/openid-connect/token']),
  tokenSeconds: 300,
  hasSecret: false,
  readToken(request) {
    requireForm(request);
    requireGrant(request.fields.grant_type);
    const { client_id: id } = request.fields;
    if (!id) throw oauthError(401, 'invalid_client', 'Invalid client or Invalid client credentials');
    return { id, secret: '', scopes: scopesIn(request) };
  },
  grant(asked, allowed) {
    const missing = asked.find((scope) => !allowed.includes(scope));
    if (missing) throw oauthError(400, 'invalid_scope', `Invalid scopes: ${asked.join(' ')}`);
    return asked;
  },
  admit({ headers }, { clientId }) {
    if (headers.client_id !== clientId)
      throw new Problem(401, 'AcessoNegado', 'client_id ausente ou inválido.');
  },
  render,
  showCharge: ({ pixCopiaECola, ...charge }: Shape) => ({ ...charge, brcode: pixCopiaECola }),
  showReported: ({ chave, ...pix }: Shape) => pix,
};
