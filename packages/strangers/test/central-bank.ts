import { readFileSync } from 'node:fs';
import type { Json } from '@payments/testing/http';
import { parse } from 'yaml';
import type { Violation } from './validating-proxy.ts';

/**
 * The Central Bank's OpenAPI document of the API Pix 2.9.0 as it was published (repository bacen/pix-api, Apache-2.0:
 * `api-pix/LICENSE`), with its servers taken away: this one is at `/`.
 */
const published: Json = parse(
  readFileSync(new URL('../api-pix/openapi-2.9.0.yaml', import.meta.url), 'utf8'),
);

export const apiPix: object = { ...published, servers: [{ url: '/' }] };

/** The callbacks' side of the document, at the service's own path. */
export const callbacks: object = {
  openapi: published.openapi,
  info: published.info,
  servers: [{ url: '/' }],
  components: published.components,
  paths: {
    '/pix-callback/{secret}/pix': {
      post: {
        parameters: [{ name: 'secret', in: 'path', required: true, schema: { type: 'string' } }],
        ...published.paths['/webhook/{chave}'].put.callbacks.listaPix['{$request.body#/webhookUrl}/pix'].post,
      },
    },
  },
};

/** A violation that is no fault of ours. */
export type Excuse = { of: Violation['of']; operation: RegExp; what: RegExp; why: string };

/** Where the document contradicts itself, or says nothing. Each is met by the flow; a new version may end some. */
export const defects: Excuse[] = [
  {
    of: 'request',
    operation: /^POST \/oauth\/token$/,
    what: /^not found$/,
    why: 'Its security scheme leaves the address of tokens to each bank, so it is no operation.',
  },
  {
    of: 'response',
    operation: /cob/,
    what: /\/loc must have required property 'txid'$/,
    why: '`CobGerada.loc` requires `txid`, which neither its properties nor the document’s examples have.',
  },
  {
    of: 'response',
    operation: /cob/,
    what: /\/location must match format "uri"$/,
    why: '`location` is `format: uri`, but its description and examples leave the scheme out.',
  },
  {
    of: 'response',
    operation: /^GET \/pix$/,
    what: /^\/response must have required property 'cobs'$/,
    why: '`PixConsultados` requires `cobs`, which it does not define. Its example has `pix`.',
  },
  {
    of: 'response',
    operation: /^GET \/webhook\//,
    what: /^\/response must have required property 'cnpj'$/,
    why: '`WebhookCompleto` requires `cnpj`. Its example has `chave`.',
  },
];
