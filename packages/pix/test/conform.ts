import { Ajv } from 'ajv';
import { apiPixSchemas } from '../src/api-pix.ts';

const ajv = new Ajv({
  allErrors: true,
  strict: false,
  formats: {
    'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/,
    uri: /^[a-z][a-z0-9+.-]*:/i,
    int32: { type: 'number', validate: (value) => Number.isInteger(value) && Math.abs(value) < 2 ** 31 },
    int64: { type: 'number', validate: Number.isSafeInteger },
  },
});
ajv.addSchema(apiPixSchemas);

/** How a value fails a schema of the API Pix; an empty list when it respects it. */
export function failuresOf(name: string, value: unknown): string[] {
  const validate = ajv.getSchema(`api-pix#/definitions/${name}`);
  if (!validate) throw new Error(`no schema ${name}`);
  validate(value);
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

type Request = { method: string; url: string; body: string };

/** Path below the base, schemas of its parts, and of the body: the operations of the API Pix that are used. */
const operations: [string, RegExp, string[], string | null][] = [
  ['PUT', /\/cob\/([^/]+)$/, ['TxId'], 'CobSolicitada'],
  ['PATCH', /\/cob\/([^/]+)$/, ['TxId'], 'CobRevisada'],
  ['GET', /\/cob\/([^/]+)$/, ['TxId'], null],
  ['PUT', /\/pix\/([^/]+)\/devolucao\/([^/]+)$/, ['EndToEndId', 'DevolucaoId'], 'DevolucaoSolicitada'],
  ['GET', /\/pix\/([^/]+)\/devolucao\/([^/]+)$/, ['EndToEndId', 'DevolucaoId'], null],
  ['GET', /\/pix$/, [], null],
  ['GET', /\/pix\/([^/]+)$/, ['EndToEndId'], null],
  ['PUT', /\/webhook\/[^/]+$/, [], 'WebhookSolicitado'],
  ['GET', /\/webhook\/[^/]+$/, [], null],
];

/** How a request fails the API Pix: an operation that does not exist, or a part that fails its schema. */
export function requestFailures({ method, url, body }: Request): string[] {
  const { pathname, searchParams } = new URL(url, 'http://psp');
  for (const [verb, path, parts, bodySchema] of operations) {
    const match = method === verb && path.exec(pathname);
    if (!match) continue;
    const inPath = parts.flatMap((schema, index) => failuresOf(schema, match[index + 1]));
    const inBody = bodySchema ? failuresOf(bodySchema, JSON.parse(body)) : [];
    return [...inPath, ...inBody, ...queryFailures(searchParams)];
  }
  return [`no operation ${method} ${pathname}`];
}

function queryFailures(query: URLSearchParams): string[] {
  // Banco do Brasil's, on every call.
  query.delete('gw-dev-app-key');
  if (query.size === 0) return [];
  const {
    'paginacao.paginaAtual': page,
    'paginacao.itensPorPagina': items,
    devolucaoPresente: returned,
    ...range
  } = Object.fromEntries(query);
  const paginacao = { paginaAtual: Number(page), itensPorPagina: Number(items), quantidadeDePaginas: 1 };
  return failuresOf('ParametrosConsultaPix', {
    ...range,
    ...(returned === 'true' && { devolucaoPresente: true }),
    paginacao: { ...paginacao, quantidadeTotalDeItens: 0 },
  });
}
