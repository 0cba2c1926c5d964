import { Problem } from '../problem.ts';

/** Query of a list: a range of time, both ends included, and the page (API Pix 2.9). */
export type ListQuery = {
  inicio: string;
  fim: string;
  'paginacao.paginaAtual': string;
  'paginacao.itensPorPagina': string;
};

/** A list's filter by one person: a charge's debtor, or who paid a Pix. */
export type PersonQuery = { cpf?: string; cnpj?: string };

export const TRUTH = { type: 'string', enum: ['true', 'false'] };
export const personQuery = {
  cpf: { type: 'string', pattern: '^\\d{11}$' },
  cnpj: { type: 'string', pattern: '^[0-9A-Z]{14}$' },
};

/** Throws Problem `invalid` when a list is asked for two persons. */
export function assertOnePerson({ cpf, cnpj }: PersonQuery, invalid: string): void {
  if (cpf === undefined || cnpj === undefined) return;
  throw new Problem(400, invalid, 'cpf e cnpj não podem ser informados juntos.');
}

export function isOfPerson(filter: PersonQuery, person: PersonQuery): boolean {
  return (
    (filter.cpf === undefined || filter.cpf === person.cpf) &&
    (filter.cnpj === undefined || filter.cnpj === person.cnpj)
  );
}

/** Properties that every list takes; `more` are a list's own. */
export function listQuery(more: Record<string, unknown>) {
  return {
    type: 'object',
    required: ['inicio', 'fim'],
    properties: {
      inicio: { type: 'string', format: 'date-time' },
      fim: { type: 'string', format: 'date-time' },
      'paginacao.paginaAtual': { type: 'string', pattern: '^\\d{1,9}$', default: '0' },
      'paginacao.itensPorPagina': { type: 'string', pattern: '^([1-9]\\d{0,2}|1000)$', default: '100' },
      ...more,
    },
  };
}

/** Milliseconds. Throws Problem `invalid` when the end comes before the beginning. */
export function rangeOf(query: ListQuery, invalid: string): { from: number; to: number } {
  const range = { from: Date.parse(query.inicio), to: Date.parse(query.fim) };
  if (range.to < range.from) throw new Problem(400, invalid, 'fim é anterior a inicio.');
  return range;
}

/** One page of a list, and `parametros` as the API Pix repeats them. */
export function page<T>(list: T[], query: ListQuery): { items: T[]; parametros: object } {
  const paginaAtual = Number(query['paginacao.paginaAtual']);
  const itensPorPagina = Number(query['paginacao.itensPorPagina']);
  const start = paginaAtual * itensPorPagina;
  const paginacao = {
    paginaAtual,
    itensPorPagina,
    quantidadeDePaginas: Math.max(1, Math.ceil(list.length / itensPorPagina)),
    quantidadeTotalDeItens: list.length,
  };
  return {
    items: list.slice(start, start + itensPorPagina),
    parametros: { inicio: query.inicio, fim: query.fim, paginacao },
  };
}
