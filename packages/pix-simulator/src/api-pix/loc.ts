import type { FastifyInstance } from 'fastify';
import { toDataURL } from 'qrcode';
import { newLocation } from '../charges.ts';
import type { StoredLocation } from '../ledger.ts';
import { Problem } from '../problem.ts';
import { codeOf, instant } from '../shapes.ts';
import { type ListQuery, listQuery, page, rangeOf } from './paging.ts';

type Params = { id: string };

const params = { type: 'object', properties: { id: { type: 'string', pattern: '^\\d{1,15}$' } } };
const body = {
  type: 'object',
  required: ['tipoCob'],
  properties: { tipoCob: { type: 'string', enum: ['cob'] } },
};
const filters = listQuery({
  txIdPresente: { type: 'string', enum: ['true', 'false'] },
  tipoCob: { type: 'string', enum: ['cob', 'cobv'] },
});
const INVALID = 'PayloadLocationConsultaInvalida';
const reading = { apiPix: { operation: 'loc', scope: 'payloadlocation.read', invalid: INVALID } } as const;
const writing = {
  apiPix: {
    operation: 'loc',
    scope: 'payloadlocation.write',
    invalid: 'PayloadLocationOperacaoInvalida',
  },
} as const;

/**
 * `/loc`: places for payloads. A new one waits for a charge that names it (`loc.id`). `GET /loc/{id}/qrcode` is no
 * operation of the API Pix; some banks have it.
 */
export function loc(app: FastifyInstance): void {
  app.post(
    '/loc',
    {
      schema: { body },
      config: writing,
    },
    async ({ host }, reply) => {
      const location = newLocation(app.bank, host);
      app.bank.ledger.save({ location });
      return reply.code(201).send(showLocation(location));
    },
  );

  app.get<{ Querystring: ListQuery }>(
    '/loc',
    {
      schema: { querystring: filters },
      config: reading,
    },
    async ({ query }) => {
      const { from, to } = rangeOf(query, INVALID);
      const all = [...app.bank.ledger.locations.values()];
      const within = all.filter(({ createdAt }) => createdAt >= from && createdAt <= to);
      const { items, parametros } = page(within, query);
      return { parametros, loc: items.map(showLocation) };
    },
  );

  app.get<{ Params: Params }>('/loc/:id', { schema: { params }, config: reading }, async (request) =>
    showLocation(find(app, request.params.id)),
  );

  app.delete<{ Params: Params }>(
    '/loc/:id/txid',
    { schema: { params }, config: writing },
    async (request) => {
      const location = { ...find(app, request.params.id), txid: null };
      app.bank.ledger.save({ location });
      return showLocation(location);
    },
  );

  app.get<{ Params: Params }>('/loc/:id/qrcode', { schema: { params }, config: reading }, async (request) => {
    const { rules, ledger, merchantName } = app.bank;
    if (!rules.drawsCodes) throw new Problem(404, 'NaoEncontrado', 'Não há nada neste endereço.');
    const charge = ledger.chargeAt(find(app, request.params.id).location);
    if (!charge) throw missing();
    const qrcode = codeOf(charge, merchantName);
    const linkVisualizacao = `https://${charge.location}`;
    return { qrcode, imagemQrcode: await toDataURL(qrcode), linkVisualizacao };
  });
}

function find(app: FastifyInstance, id: string): StoredLocation {
  const location = app.bank.ledger.locations.get(Number(id));
  if (!location) throw missing();
  return location;
}

function missing(): Problem {
  return new Problem(404, 'PayloadLocationNaoEncontrado', 'Location não encontrada para o id informado.');
}

/** `PayloadLocation` of the API Pix 2.9. */
function showLocation({ id, txid, location, createdAt }: StoredLocation) {
  return { id, ...(txid !== null && { txid }), location, tipoCob: 'cob', criacao: instant(createdAt) };
}
