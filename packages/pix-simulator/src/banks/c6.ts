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

/** C6: sources differ on where the credentials stand, so both are taken; 200 for 201. */
export const c6: BankRules = {
  ...standard,
  standardPath: pathsBelow('/v2/pix', ['/v1/auth', '/v1/auth/']),
  tokenSeconds: 300,
  readToken(request) {
    requireForm(request);
    requireGrant(request.fields.grant_type);
    return withScopes(basicOf(request) ?? fromBody(request), request);
  },
  createdStatus: 200,
};
