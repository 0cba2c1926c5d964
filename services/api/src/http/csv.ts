import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import type { FastifyReply } from 'fastify';
import { rules, wrongField } from './errors/api-error.ts';
import { sendParts } from './large-messages.ts';

/** Centavos, or a day or month of the books such as `2026-11-23`: each form of CSV writes them in its own way. */
type Amount = { centavos: number };
type Period = { period: string };

/** Text, a number or a date that is written as it is, an amount, a period, or nothing. */
export type Cell = string | number | Date | Amount | Period | null;

/**
 * How a table is written: by RFC 4180 for programs, or for the Excel of a Brazilian desk, which separates by semicolons,
 * writes decimals with a comma and knows UTF-8 by its byte order mark.
 */
export type CsvForm = 'standard' | 'excel';

export const csvQuery = {
  for: Type.Optional(
    Type.Literal('excel', {
      description:
        'A table that Excel in Portuguese opens on a double click: with a byte order mark, semicolons, decimal commas, and ' +
        'times of São Paulo as `23/11/2026 21:04:05`. An apostrophe goes before a text of figures that Excel would change, ' +
        'such as `0042` or `20261123000000042`.',
    }),
  ),
};

/**
 * Judges the form that a query asks for with `for`: before an export is on record as made.
 * @throws ApiError 400 for an unknown one
 */
export function csvFormOf(query: unknown): CsvForm {
  const { for: form = 'standard' } = (query ?? {}) as Record<string, unknown>;
  if (form !== 'standard' && form !== 'excel') throw wrongField('for', rules.oneOf(['excel']));
  return form;
}

/** @returns what a file of this form begins with */
function csvStart(form: CsvForm): string {
  return form === 'excel' ? '\uFEFF' : '';
}

/** @returns one line; no text begins a formula in a spreadsheet, however that splits the file */
export function csvLine(cells: readonly Cell[], form: CsvForm = 'standard'): string {
  const { separator, quotable, write } = forms[form];
  return `${cells.map((cell) => quoted(write(cell), quotable)).join(separator)}\r\n`;
}

/** @returns centavos as an amount in reais */
export function csvAmount(centavos: number | null): Cell {
  return centavos === null ? null : { centavos };
}

const forms = {
  standard: { separator: ',', quotable: /[",\r\n]/, write: standardText },
  excel: { separator: ';', quotable: /[";\t\r\n]/, write: excelText },
} as const;

function standardText(cell: Cell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell !== 'object') return harmless(cell);
  return 'centavos' in cell ? (cell.centavos / 100).toFixed(2) : cell.period;
}

const two = '2-digit';
const dateTime = { day: two, month: two, year: 'numeric', hour: two, minute: two, second: two } as const;
// Created at first use: loading the zone's data would delay the start.
let brazilian: Intl.DateTimeFormat | undefined;

function excelText(cell: Cell): string {
  if (cell instanceof Date) {
    brazilian ??= new Intl.DateTimeFormat('pt-BR', { timeZone: 'America/Sao_Paulo', ...dateTime });
    return brazilian.format(cell).replace(',', '');
  }
  const text = standardText(cell);
  if (typeof cell === 'string') return isMisread(text) ? `'${text}` : text;
  if (cell === null || typeof cell !== 'object') return text;
  if ('period' in cell) return cell.period.split('-').reverse().join('/');
  return (cell.centavos / 100).toFixed(2).replace('.', ',');
}

/** Excel makes a number or a date of such a text. Only a number of at most 15 digits stays as it was written. */
function isMisread(text: string): boolean {
  const isOfFigures = /^\s*\d[\d\s.,:/-]*(e[+-]?\d+\s*)?$/i.test(text);
  return isOfFigures && !/^(0|[1-9]\d{0,14})$/.test(text);
}

const beforeFormula = /(?<=^|[,;\t\r\n\v\f\u0085\u2028\u2029"])(?=[=+\-@＝＋－＠])/g;

/**
 * A spreadsheet may take any of these signs for a separator, and quotes for text: an apostrophe goes between each and
 * what would begin a formula.
 */
function harmless(cell: string | number): string {
  if (typeof cell === 'number') return String(cell);
  const guarded = cell.replace(beforeFormula, "'");
  return /^[\t\r]/.test(guarded) ? `'${guarded}` : guarded;
}

function quoted(text: string, quotable: RegExp): string {
  return quotable.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const CsvTable = Type.String({
  $id: 'CsvTable',
  description:
    'CSV by RFC 4180 in UTF-8, with a header row. An apostrophe goes before each `=`, `+`, `-` and `@` that begins a text, ' +
    'or follows a comma, semicolon, tab, line break or quote in it.',
});

/** @returns a successful CSV response for a route schema's `response` */
export function csvAnswerOf(description: string, columns: readonly string[]) {
  const content = { 'text/csv': { schema: Type.Ref('CsvTable') } };
  return { description: `${description} Columns: \`${columns.join(',')}\`.`, content };
}

/** Columns by the names of the header row. */
export type Columns<Row> = Record<string, (row: Row) => Cell>;

// Sales go first: in a busy process, an export rests twelve times as long as it reads. In an idle one, about twice.
// Measured with a million payments: beside an export, creations fall by 5 %.
const restsPerRead = 12;

/** Reads the rows that follow one, or the first ones; the last page has none. */
type ReadAfter<Row> = (after: Row | undefined) => Promise<Row[]>;

/** A file of rows. One of test stores says so in its name and in each row (Contract: test stores). */
type CsvFile<Row> = { name: string; columns: Columns<Row>; form: CsvForm; isTest?: boolean };

/**
 * Sends rows page by page, as fast as the client reads. A client that goes away
 * ends the reading. A page's query is short, so an export holds no transaction open.
 * @throws what the first page throws, before anything is sent
 */
export async function sendCsv<Row>(
  reply: FastifyReply,
  { name, columns: usual, form, isTest = false }: CsvFile<Row>,
  read: ReadAfter<Row>,
): Promise<FastifyReply> {
  const first = reply.request.method === 'HEAD' ? [] : await read(undefined);
  const columns = isTest ? { ...usual, test: () => 'TESTE' } : usual;
  void reply.type('text/csv; charset=utf-8; header=present');
  void reply.header('content-disposition', `attachment; filename="${name}${isTest ? '-TESTE' : ''}.csv"`);
  return sendParts(reply, pages({ columns, form }, first, read));
}

async function* pages<Row>(
  { columns, form }: { columns: Columns<Row>; form: CsvForm },
  first: Row[],
  read: ReadAfter<Row>,
): AsyncGenerator<string> {
  yield csvStart(form) + csvLine(Object.keys(columns), form);
  const cells = Object.values(columns);
  let loopThen = performance.eventLoopUtilization();
  for (let rows = first; rows.length > 0; ) {
    yield rows
      .map((row) =>
        csvLine(
          cells.map((cell) => cell(row)),
          form,
        ),
      )
      .join('');
    const startedAt = performance.now();
    rows = await read(rows.at(-1));
    const readMs = performance.now() - startedAt;
    const { utilization } = performance.eventLoopUtilization(loopThen);
    loopThen = performance.eventLoopUtilization();
    await delay(restsPerRead * utilization * readMs);
  }
}
