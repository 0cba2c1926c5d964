import type { BankRules } from './rules.ts';
import {
  basicOf,
  fromBody,
  pathsBelow,
  requireForm,
  requireGrant,
  standard,
  withScopes,
} from './standard.ts';

/** Banrisul: sources differ on where the credentials stand, so both are taken. */
export const banrisul: BankRules = {
  ...standard,
  standardPath: pathsBelow('/pix/api-mtls', ['/auth/oauth/v2/token']),
  readToken(request) {
    requireForm(request);
    requireGrant(request.fields.grant_type);
    return withScopes(basicOf(request) ?? fromBody(request), request);
  },
};
