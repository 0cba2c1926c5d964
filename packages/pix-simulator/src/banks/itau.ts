import { Problem } from '../problem.ts';
import type { BankRules } from './rules.ts';
import { fromBody, pathsBelow, requireForm, requireGrant, standard, withScopes } from './standard.ts';

/** Itaú: credentials in the body, its own headers, 204 where a list is empty, 201 for a callback. */
export const itau: BankRules = {
  ...standard,
  standardPath: pathsBelow('/pix_recebimentos/v2', ['/api/oauth/token', '/as/token.oauth2']),
  tokenSeconds: 300,
  readToken(request) {
    requireForm(request);
    requireGrant(request.fields.grant_type);
    const { id, secret } = withScopes(fromBody(request), request);
    return { id, secret, scopes: [] };
  },
  // Optional by its OpenAPI document, required by other accounts: the stricter one is simulated.
  admit({ headers }, { clientId }) {
    const hasKey = headers['x-itau-apikey'] === clientId;
    const hasId = headers['x-itau-correlationid'] !== undefined && headers['x-correlationid'] !== undefined;
    if (!hasKey || !hasId) throw new Problem(403, 'AcessoNegado', 'x-itau-apikey ou correlationID ausente.');
  },
  emptyList: { status: 204, type: 'application/json', body: '' },
  registeredStatus: 201,
};
