import type { FastifyInstance } from 'fastify';
import type { Bank } from '../bank.ts';
import { type ChargeChange, changeCharge, findCharge, putCharge } from '../charges.ts';
import { randomAlphanumeric } from '../identifiers.ts';
import type { ChargeTerms, StoredCharge } from '../ledger.ts';
import { type Look, lookAs } from '../looks.ts';
import { Problem } from '../problem.ts';
import { settleDue } from '../refunds.ts';
import { showCharge, showPix } from '../shapes.ts';
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
import { cutConnection, lostAnswer } from './suffer-faults.ts';

const params = { type: 'object', properties: { txid: { $ref: 'api-pix#/definitions/TxId' } } };
const body = { $ref: 'api-pix#/definitions/CobSolicitada' };
const revision = { type: 'object', properties: { revisao: { type: 'string', pattern: '^\\d{1,9}$' } } };
const filters = listQuery({ status: { type: 'string' }, locationPresente: TRUTH, ...personQuery });
const change = { $ref: 'api-pix#/definitions/CobRevisada' };

/** `PUT /cob/{txid}`: creates a charge, or sets an active one anew. `POST /cob`: creates one under a txid of the bank. */
export function putCob(app: FastifyInstance): void {
  app.put<{ Params: { txid: string }; Body: ChargeTerms }>(
    '/cob/:txid',
    {
      schema: { params, body },
      config: { apiPix: { operation: 'putCob', scope: 'cob.write', invalid: 'CobOperacaoInvalida' } },
    },
    async (request, reply) => {
      if (app.bank.ledger.charges.has(request.params.txid)) app.bank.rules.putAgain();
      const charge = putCharge(app.bank, request.params.txid, request.body, request.host);
      if (app.bank.faults.loseChargeAnswers) throw lostAnswer();
      if (app.bank.faults.cutChargeAnswers) return cutConnection(request, reply);
      return reply
        .code(app.bank.rules.createdStatus)
        .send(showChargeNow(app.bank, lookAs(app.bank, 'putCob'), charge));
    },
  );

  app.post<{ Body: ChargeTerms }>(
    '/cob',
    {
      schema: { body },
      config: { apiPix: { operation: 'postCob', scope: 'cob.write', invalid: 'CobOperacaoInvalida' } },
    },
    async (request, reply) => {
      const charge = putCharge(app.bank, randomAlphanumeric(32), request.body, request.host);
      const shown = showChargeNow(app.bank, lookAs(app.bank, 'postCob'), charge);
      return reply.code(app.bank.rules.createdStatus).send(shown);
    },
  );
}

/** `GET /cob/{txid}`, as it is or in an earlier revision. */
export function getCob(app: FastifyInstance): void {
  app.get<{ Params: { txid: string }; Querystring: { revisao?: string } }>(
    '/cob/:txid',
    {
      schema: { params, querystring: revision },
      config: { apiPix: { operation: 'getCob', scope: 'cob.read', invalid: 'CobConsultaInvalida' } },
    },
    async (request) => {
      const { txid } = request.params;
      const charge = findCharge(app.bank, txid);
      const { revisao = charge.revision } = request.query;
      const asked = app.bank.ledger.revision(txid, Number(revisao));
      if (!asked) throw new Problem(400, 'CobConsultaInvalida', 'A revisão não existe.');
      return showChargeNow(app.bank, lookAs(app.bank, 'getCob'), asked);
    },
  );
}

type Filters = PersonQuery & { status?: string; locationPresente?: string };

const INVALID = 'CobConsultaInvalida';

/** `GET /cob`: charges created in a range of time. */
export function listCob(app: FastifyInstance): void {
  app.get<{ Querystring: ListQuery & Filters }>(
    '/cob',
    {
      schema: { querystring: filters },
      config: { apiPix: { operation: 'listCob', scope: 'cob.read', invalid: INVALID } },
    },
    async (request) => {
      const { from, to } = rangeOf(request.query, INVALID);
      assertOnePerson(request.query, INVALID);
      const charges = [...app.bank.ledger.charges.values()].filter(
        (charge) =>
          charge.createdAt >= from && charge.createdAt <= to && passes(app.bank, charge, request.query),
      );
      const { items, parametros } = page(charges, request.query);
      const look = lookAs(app.bank, 'listCob');
      return { parametros, cobs: items.map((charge) => showChargeNow(app.bank, look, charge)) };
    },
  );
}

function passes({ ledger }: Bank, charge: StoredCharge, filters: Filters): boolean {
  const { status, locationPresente } = filters;
  const isLocated = ledger.locations.get(charge.locationId)?.txid === charge.txid;
  return (
    (!status || charge.status === status) &&
    (locationPresente === undefined || locationPresente === String(isLocated)) &&
    isOfPerson(filters, charge.terms.devedor ?? {})
  );
}

/** `PATCH /cob/{txid}`: changes or removes an active charge. */
export function patchCob(app: FastifyInstance): void {
  app.patch<{ Params: { txid: string }; Body: ChargeChange }>(
    '/cob/:txid',
    {
      schema: { params, body: change },
      config: { apiPix: { operation: 'patchCob', scope: 'cob.write', invalid: 'CobOperacaoInvalida' } },
    },
    async (request) => {
      const { txid } = request.params;
      const look = lookAs(app.bank, 'patchCob');
      look.charge(findCharge(app.bank, txid));
      return showChargeNow(app.bank, look, changeCharge(app.bank, txid, request.body));
    },
  );
}

/** A charge as a read of the bank sees it, faults included; with its Pix when there are any (`CobCompleta`). */
export function showChargeNow(bank: Bank, look: Look, charge: StoredCharge) {
  settleDue(bank);
  const seen = look.charge(charge);
  const pix = bank.ledger.pixOf(charge.txid).flatMap((one) => look.pix(one) ?? []);
  return bank.rules.showCharge(showChargePlainly(bank, seen, pix.map(look.show)), look.operation);
}

/** The same in the standard's words. */
export function showChargePlainly(
  bank: Bank,
  charge: StoredCharge,
  pix: readonly object[] = bank.ledger.pixOf(charge.txid).map(showPix),
) {
  const withCode = !bank.faults.omitPixCopiaECola;
  return {
    ...showCharge(charge, { merchantName: bank.merchantName, withCode }),
    ...(pix.length > 0 && { pix }),
  };
}
