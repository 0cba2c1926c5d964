import { Problem } from '../problem.ts';
import type { BankRules } from './rules.ts';
import { basicOf, renderStandard, requireForm, requireGrant, standard, withScopes } from './standard.ts';

/** Sicredi: scopes are narrowed in silence and missed with a 400; an address that asks for many tokens is blocked. */
export const sicredi: BankRules = {
  ...standard,
  // Charges at version 3 by its guide, at version 2 by all code that is in use.
  standardPath(_method, path) {
    if (path === '/oauth/token') return path;
    if (path.startsWith('/api/v3/cob')) return path.slice('/api/v3'.length);
    return path.startsWith('/api/v2/') ? path.slice('/api/v2'.length) : null;
  },
  readToken(request) {
    requireForm(request);
    requireGrant(request.fields.grant_type);
    return withScopes(basicOf(request), request);
  },
  grant: (asked, allowed) => asked.filter((scope) => allowed.includes(scope)),
  render(problem) {
    if (problem.status !== 403) return renderStandard(problem);
    const detail = `Esta credencial não possui os escopos habilitados. ${problem.message}`;
    return renderStandard(new Problem(400, 'RequisicaoInvalida', detail));
  },
  tokensPerMinute: 20,
};
