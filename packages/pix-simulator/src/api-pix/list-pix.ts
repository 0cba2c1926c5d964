import type { FastifyInstance } from 'fastify';
import type { StoredPix } from '../ledger.ts';
import { lookAs } from '../looks.ts';
import { HiddenByFault } from '../problem.ts';
import { findPix, settleDue } from '../refunds.ts';
import {
  assertOnePerson,
  isOfPerson,
  type ListQuery,
  listQuery,
  type PersonQuery,
  page,
  personQuery,
  rangeOf,
  TRUTH,
} from './paging.ts';

type Filters = PersonQuery & { txid?: string; txIdPresente?: string; devolucaoPresente?: string };

const INVALID = 'PixConsultaInvalida';
const filters = listQuery({
  txid: { type: 'string', pattern: '^[a-zA-Z0-9]{1,35}$' },
  txIdPresente: TRUTH,
  devolucaoPresente: TRUTH,
  ...personQuery,
});
const params = { type: 'object', properties: { e2eid: { $ref: 'api-pix#/definitions/EndToEndId' } } };

/** `GET /pix`: Pix that arrived in a range of time. */
export function listPix(app: FastifyInstance): void {
  app.get<{ Querystring: ListQuery & Filters }>(
    '/pix',
    {
      schema: { querystring: filters },
      config: { apiPix: { operation: 'listPix', scope: 'pix.read', invalid: INVALID } },
    },
    async (request, reply) => {
      const { rules, clock } = app.bank;
      settleDue(app.bank);
      rules.checkRange(request.query, clock.now());
      const { from, to } = rangeOf(request.query, INVALID);
      assertOnePerson(request.query, INVALID);
      const look = lookAs(app.bank, 'listPix');
      const seen = app.bank.ledger.pixBetween(from, to).flatMap((one) => look.pix(one) ?? []);
      const pix = seen.filter((one) => passes(one, request.query));
      const { items, parametros } = page(pix, request.query);
      const { emptyList } = rules;
      if (pix.length === 0 && emptyList)
        return reply.code(emptyList.status).type(emptyList.type).send(emptyList.body);
      return { parametros, pix: items.map((one) => rules.showListed(look.show(one))) };
    },
  );
}

/** Every Pix here belongs to a charge, so each has a txid. Nobody is known to have paid it. */
function passes(pix: StoredPix, filters: Filters): boolean {
  if (filters.txid !== undefined && pix.txid !== filters.txid) return false;
  if (filters.txIdPresente === 'false' || !isOfPerson(filters, {})) return false;
  return (
    filters.devolucaoPresente === undefined || filters.devolucaoPresente === String(pix.refunds.length > 0)
  );
}

/** `GET /pix/{e2eid}`. */
export function getPix(app: FastifyInstance): void {
  app.get<{ Params: { e2eid: string } }>(
    '/pix/:e2eid',
    {
      schema: { params },
      config: { apiPix: { operation: 'getPix', scope: 'pix.read' } },
    },
    async (request) => {
      const look = lookAs(app.bank, 'getPix');
      const pix = look.pix(findPix(app.bank, request.params.e2eid));
      if (!pix)
        throw new HiddenByFault(404, 'PixNaoEncontrado', 'Pix não encontrado para o e2eid informado.');
      return look.show(pix);
    },
  );
}
