import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { earlierDocumentFile, postmanFile } from '../context.ts';
import { type Located, type OpenApiDocument, operationsOf, resolve } from './document.ts';
import { bodyExample } from './reference/try-it.ts';

const read = (file: URL) => JSON.parse(readFileSync(file, 'utf8'));

/**
 * Serves the stores' document in OpenAPI 3.0, and its requests as collections. `npm run openapi` converts the first and
 * Postman's to files, so that the service needs no converters. Only the service's address is filled in here.
 */
export function shippedDocuments(app: FastifyInstance): void {
  const hide = { schema: { hide: true } };
  const documentOf = () => app.swagger() as unknown as OpenApiDocument;
  app.get('/docs/openapi-3.0.json', hide, async () => ({
    ...read(earlierDocumentFile),
    servers: documentOf().servers,
  }));
  app.get('/docs/postman.json', hide, async () => {
    const { variable, ...collection } = read(postmanFile) as { variable: { key: string; value: string }[] };
    const base = serviceOf(documentOf());
    return {
      ...collection,
      variable: variable.map((one) => (one.key === 'baseUrl' ? { ...one, value: base } : one)),
    };
  });
  app.get('/docs/requests.http', hide, async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(httpFile(documentOf(), serviceOf(documentOf()))),
  );
}

const serviceOf = ({ servers }: OpenApiDocument) => (servers?.[0]?.url ?? '').replace(/\/$/, '');

/**
 * Writes the requests for editors that send them: REST Client of VS Code, JetBrains, Visual Studio.
 * @param base the service's address
 */
function httpFile(document: OpenApiDocument, base: string): string {
  const requests = operationsOf(document).filter(({ isWebhook }) => !isWebhook);
  const names = requests.flatMap((located) => pathParameters(document, located));
  const variables = { baseUrl: base, token: 'YOUR_TOKEN', ...Object.fromEntries(names) };
  const lines = Object.entries(variables).map(([name, value]) => `@${name} = ${value}`);
  return [`${lines.join('\n')}\n`, ...requests.map((located) => request(document, located))].join('\n');
}

function request(document: OpenApiDocument, located: Located): string {
  const { method, path, operation } = located;
  const body = bodyExample(document, located);
  const lines = [
    `### ${operation.summary ?? operation.operationId}`,
    `${method.toUpperCase()} {{baseUrl}}${path.replace(/\{(\w+)\}/g, '{{$1}}')}`,
    ...((operation.security ?? []).length > 0 ? ['Authorization: Bearer {{token}}'] : []),
    ...(body === undefined ? [] : ['Content-Type: application/json', '', JSON.stringify(body, undefined, 2)]),
  ];
  return `${lines.join('\n')}\n`;
}

function pathParameters(document: OpenApiDocument, { operation }: Located): [name: string, value: string][] {
  return (operation.parameters ?? [])
    .map((parameter) => resolve(document, parameter))
    .filter((parameter) => parameter.in === 'path')
    .map(({ name }) => [name, `YOUR_${name.toUpperCase()}`]);
}

type SecurityOptions = { url: string; securityContact?: string | undefined; now: () => Date };

const daysOfTrust = 90;
const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Serves `/.well-known/security.txt` (RFC 9116): to whom a vulnerability is reported. Without `SECURITY_CONTACT` that is
 * the page `/docs/security`, which names support.
 *
 * `Expires` is 90 days after the day of the answer, by no date in a file that somebody must remember to move: a running
 * service says what its settings say today, and one that runs no more says nothing. A copy that somebody keeps grows old
 * after 90 days, well within the year that the RFC recommends.
 */
export function securityText(app: FastifyInstance, { url, securityContact, now }: SecurityOptions): void {
  const address = url.replace(/\/$/, '');
  app.get('/.well-known/security.txt', { schema: { hide: true } }, async (_request, reply) => {
    const today = Math.floor(now().getTime() / dayMs) * dayMs;
    const fields = {
      Contact: securityContact ?? `${address}/docs/security`,
      Expires: new Date(today + daysOfTrust * dayMs).toISOString().replace('.000Z', 'Z'),
      'Preferred-Languages': 'en, pt',
      Canonical: `${address}/.well-known/security.txt`,
      Policy: `${address}/docs/security`,
    };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
    return reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', 'public, max-age=86400')
      .send(lines.join(''));
  });
}
