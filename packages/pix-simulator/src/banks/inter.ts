import { Problem } from '../problem.ts';
import type { BankRules, Rendered } from './rules.ts';
import {
  fromBody,
  json,
  oauthError,
  pathsBelow,
  requireForm,
  requireGrant,
  standard,
  withScopes,
} from './standard.ts';

function render({ status, message, violations }: Problem): Rendered {
  const said = { title: message, detail: message, timestamp: new Date().toISOString() };
  return json(status, { ...said, ...(violations.length > 0 && { violacoes: violations }) });
}

/**
 * Inter: all scopes or none, 120 calls and five tokens a minute, and the callback's address as it was registered. Its
 * own SDK (inter-co/pj-sdk-python) sends `null` for every field that is not set. It reads JSON from each answer but 202
 * and 204, so a registration is a 204.
 */
export const inter: BankRules = {
  ...standard,
  standardPath: pathsBelow('/pix/v2', ['/oauth/v2/token']),
  readToken(request) {
    requireForm(request);
    requireGrant(request.fields.grant_type);
    return withScopes(fromBody(request), request);
  },
  grant(asked, allowed) {
    const missing = asked.find((scope) => !allowed.includes(scope));
    if (asked.length === 0 || missing)
      throw oauthError(400, 'invalid_scope', `Escopo não autorizado: ${missing}`);
    return asked;
  },
  admit({ headers }, { account }) {
    if (account !== null && headers['x-conta-corrente'] !== account)
      throw new Problem(400, 'RequisicaoInvalida', 'x-conta-corrente deve ser informado.');
  },
  render,
  nullIsAbsent: true,
  registeredStatus: 204,
  callbackAddress: (url) => url,
  callsPerMinute: 120,
  tokensPerMinute: 5,
};
