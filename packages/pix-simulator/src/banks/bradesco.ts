import type { Problem } from '../problem.ts';
import type { BankRules, Rendered, Shape } from './rules.ts';
import {
  basicOf,
  pathsBelow,
  renderStandard,
  requireForm,
  requireGrant,
  standard,
  withScopes,
} from './standard.ts';

function render(problem: Problem): Rendered {
  if (problem.status !== 500) return renderStandard(problem);
  const fault = `<faultcode>soapenv:Server</faultcode><faultstring>${problem.message}</faultstring>`;
  const body = `<soapenv:Envelope><soapenv:Body><soapenv:Fault>${fault}</soapenv:Fault></soapenv:Body></soapenv:Envelope>`;
  return { status: 500, type: 'text/xml', body };
}

/** Bradesco: 200 for 201, no code but where one is asked for at `cob-emv`, and SOAP when something breaks inside. */
export const bradesco: BankRules = {
  ...standard,
  standardPath: pathsBelow('/v2', ['/oauth/token', '/auth/server/oauth/token']),
  tokenSeconds: 3600,
  readToken(request) {
    requireForm(request);
    requireGrant(request.fields.grant_type);
    const { id, secret } = withScopes(basicOf(request), request);
    return { id, secret, scopes: [] };
  },
  render,
  showCharge: ({ pixCopiaECola, ...charge }: Shape) => charge,
  createdStatus: 200,
};
