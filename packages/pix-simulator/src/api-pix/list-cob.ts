import type { FastifyInstance } from 'fastify';
import { lookAs } from '../looks.ts';
import { type ListQuery, listQuery, page, rangeOf } from './paging.ts';
import { showChargeNow } from './show-charge-now.ts';

const INVALID = 'CobConsultaInvalida';

/** `GET /cob`: charges created in a range of time. */
export function listCob(app: FastifyInstance): void {
  app.get<{ Querystring: ListQuery & { status?: string } }>(
    '/cob',
    {
      schema: { querystring: listQuery({ status: { type: 'string' } }) },
      config: { apiPix: { operation: 'listCob', scope: 'cob.read', invalid: INVALID } },
    },
    async (request) => {
      const { from, to } = rangeOf(request.query, INVALID);
      const { status } = request.query;
      const charges = [...app.bank.ledger.charges.values()].filter(
        (charge) =>
          charge.createdAt >= from && charge.createdAt <= to && (!status || charge.status === status),
      );
      const { items, parametros } = page(charges, request.query);
      const look = lookAs(app.bank, 'listCob');
      return { parametros, cobs: items.map((charge) => showChargeNow(app.bank, look, charge)) };
    },
  );
}
