import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { earlierDocumentFile, postmanFile } from '../shipped-files.ts';
import { httpFile } from './http-file.ts';
import type { OpenApiDocument } from './reference/document.ts';

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
