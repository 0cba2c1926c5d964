import { parseAmount } from '@payments/pix/amount';
import type { Bank } from './bank.ts';
import { newEndToEndId, randomAlphanumeric } from './identifiers.ts';
import type { ChargeTerms, StoredCharge, StoredLocation, StoredPix } from './ledger.ts';
import { Problem, type Violation } from './problem.ts';

/** Body of PATCH: any of the terms, or only the removal. */
export type ChargeChange = Partial<ChargeTerms> & { status?: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' };

const INVALID = 'CobOperacaoInvalida';
const LONGEST_HOST = 77 - '/qr/'.length - 22;

/** Creates a charge, or sets an active one anew. Throws Problem (API Pix 2.9, `CobOperacaoInvalida`). */
export function putCharge(bank: Bank, txid: string, terms: ChargeTerms, host: string): StoredCharge {
  checkTerms(bank, terms);
  const existing = bank.ledger.charges.get(txid);
  if (existing) return revise(bank, existing, terms);
  const { id: locationId, location } = terms.loc
    ? takeLocation(bank, terms.loc.id, txid)
    : newLocation(bank, host);
  const createdAt = bank.clock.now();
  return save(bank, {
    txid,
    terms: onlyTerms(terms),
    createdAt,
    revision: 0,
    status: 'ATIVA',
    locationId,
    location,
  });
}

/** A location that no charge has; it is not saved yet. */
export function newLocation(bank: Bank, host: string): StoredLocation {
  const address = host.length > LONGEST_HOST ? 'pix.example.com' : host;
  const location = `${address}/qr/${randomAlphanumeric(22)}`;
  return { id: bank.ledger.nextLocationId(), location, createdAt: bank.clock.now(), txid: null };
}

/** Gives a free location to a charge. @throws Problem if another charge has it, or there is none */
function takeLocation(bank: Bank, id: number, txid: string): StoredLocation {
  const location = bank.ledger.locations.get(id);
  if (!location || location.txid !== null)
    throw new Problem(400, INVALID, 'A location não existe ou já tem cobrança.');
  bank.ledger.save({ location: { ...location, txid } });
  return location;
}

export function changeCharge(bank: Bank, txid: string, change: ChargeChange): StoredCharge {
  const charge = findCharge(bank, txid);
  if (change.status && Object.keys(change).length > 1) {
    throw new Problem(400, INVALID, 'Uma cobrança não pode ser removida e alterada ao mesmo tempo.');
  }
  if (change.status) return remove(bank, charge, change.status);
  const valor = { ...charge.terms.valor, ...change.valor };
  const calendario = { ...charge.terms.calendario, ...change.calendario };
  const terms = { ...charge.terms, ...onlyTerms(change), valor, calendario };
  checkTerms(bank, terms);
  return revise(bank, charge, terms);
}

function remove(bank: Bank, charge: StoredCharge, status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR'): StoredCharge {
  checkActive(charge);
  return save(bank, { ...charge, status, revision: charge.revision + 1 });
}

function revise(bank: Bank, charge: StoredCharge, terms: ChargeTerms): StoredCharge {
  checkActive(charge);
  const next = onlyTerms(terms) as ChargeTerms;
  if (JSON.stringify(next) === JSON.stringify(charge.terms)) return charge;
  return save(bank, { ...charge, terms: next, revision: charge.revision + 1 });
}

export function findCharge(bank: Bank, txid: string): StoredCharge {
  const charge = bank.ledger.charges.get(txid);
  if (!charge) throw new Problem(404, 'CobNaoEncontrado', 'Cobrança não encontrada para o txid informado.');
  return charge;
}

/**
 * A Pix arrives for a charge: any `amount` (centavos), any number of times, also late. A removed charge stays
 * removed.
 */
export function receivePix(
  bank: Bank,
  charge: StoredCharge,
  amount: number,
  paidAt: number,
  more: Pick<StoredPix, 'refusesRefunds'> = {},
): StoredPix {
  const pix: StoredPix = {
    endToEndId: newEndToEndId(paidAt),
    txid: charge.txid,
    key: charge.terms.chave,
    amount,
    paidAt,
    ...more,
    refunds: [],
  };
  bank.ledger.save({ pix });
  if (charge.status === 'ATIVA') save(bank, { ...charge, status: 'CONCLUIDA' });
  bank.callbacks.report(pix);
  return pix;
}

export function expiresAt(charge: StoredCharge): number {
  return charge.createdAt + charge.terms.calendario.expiracao * 1000;
}

function checkActive(charge: StoredCharge): void {
  if (charge.status !== 'ATIVA') throw new Problem(400, INVALID, `A cobrança está ${charge.status}.`);
}

/** Rules that a schema can't express (API Pix 2.9, violations of `PUT|PATCH /cob/{txid}`). */
function checkTerms(bank: Bank, terms: ChargeTerms): void {
  const violations: Violation[] = [];
  const refuse = (propriedade: string, razao: string) => violations.push({ propriedade, razao });
  if (terms.calendario.expiracao <= 0) refuse('cob.calendario.expiracao', 'é igual ou menor que zero');
  if (!parseAmount(terms.valor.original)) refuse('cob.valor.original', 'é zero');
  if (bank.key !== null && terms.chave !== bank.key) refuse('cob.chave', 'não pertence a este recebedor');
  if (violations.length > 0) throw new Problem(400, INVALID, 'A cobrança é inválida.', violations);
}

/** Known fields in a fixed order, so that equal terms compare equal; the rest is ignored. */
function onlyTerms<T extends Partial<ChargeTerms>>(terms: T): T {
  const names = ['calendario', 'valor', 'chave', 'devedor', 'solicitacaoPagador', 'infoAdicionais'] as const;
  const kept = names.filter((name) => terms[name] !== undefined).map((name) => [name, terms[name]]);
  return Object.fromEntries(kept) as T;
}

function save(bank: Bank, charge: StoredCharge): StoredCharge {
  bank.ledger.save({ charge });
  return charge;
}
