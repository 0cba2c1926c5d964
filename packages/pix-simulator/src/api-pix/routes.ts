import { apiPixSchemas } from '@payments/pix/api-pix';
import type { FastifyInstance } from 'fastify';
import { getCob, listCob, patchCob, putCob } from './cob.ts';
import { getDevolucao, putDevolucao } from './devolucao.ts';
import { getPix, listPix } from './list-pix.ts';
import { loc } from './loc.ts';
import { oauthToken } from './oauth-token.ts';
import { sufferFaults } from './suffer-faults.ts';
import { webhook } from './webhook.ts';

/** The API Pix (2.9) as a receiver's bank serves it: faults, then access, then the document's schemas. */
export async function apiPix(app: FastifyInstance): Promise<void> {
  app.addSchema(apiPixSchemas);
  sufferFaults(app);
  app.addHook('onRequest', async (request) => {
    const { scope, operation } = request.routeOptions.config.apiPix ?? {};
    const { bank } = app;
    if (operation === 'token') return bank.countToken();
    if (!scope) return;
    bank.countCall();
    bank.access.check(request, scope);
    bank.rules.admit(request, bank);
  });
  app.addHook('preValidation', async (request) => {
    if (app.bank.rules.nullIsAbsent) request.body = withoutNulls(request.body);
  });
  app.addHook('preHandler', async () => {
    app.bank.conformity.checked += 1;
  });
  // Clients name JSON on every call, also on a DELETE, which has no body.
  const parseJson = app.getDefaultJsonParser('error', 'ignore');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (body === '') done(null, undefined);
    else void parseJson(request, body, done);
  });
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, body: string) => Object.fromEntries(new URLSearchParams(body)),
  );

  oauthToken(app);
  putCob(app);
  patchCob(app);
  getCob(app);
  listCob(app);
  getPix(app);
  listPix(app);
  putDevolucao(app);
  getDevolucao(app);
  webhook(app);
  loc(app);
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(kept.map(([name, field]) => [name, withoutNulls(field)]));
}
