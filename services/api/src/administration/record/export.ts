import type { Queryable } from '@payments/database/connection';
import type { KindFilter } from '@payments/database/stores/kinds';
import { findStore } from '@payments/database/stores/stores';
import type { FastifyReply } from 'fastify';
import { type Actor, authorOf } from '../../access/actor.ts';
import type { AdministrationContext } from '../../context.ts';
import { csvFormOf, sendCsv } from '../../http/csv.ts';
import { type ExportedList, recordExport, recordSearch } from './actions.ts';

const rowsAtOnce = 1_000;

type Wanted<Filter> = {
  /** The file's name, without its ending. */
  name: string;
  /** The parameters that the record keeps. */
  query: Record<string, unknown>;
  filter: Filter;
};

/**
 * Sends the rows of a list as a file, once that is on record.
 * @throws ApiError 400 for an unknown form of CSV, 429 if too many exports are under way
 */
export async function sendExport<Row, Filter extends KindFilter>(
  context: AdministrationContext,
  reply: FastifyReply,
  { kind, columns, readAfter }: ExportedList<Row, Filter>,
  { name, query, filter }: Wanted<Filter>,
): Promise<FastifyReply> {
  const form = csvFormOf(reply.request.query);
  const { actor } = reply.request;
  const rows = context.longReads.ofExport<Row>(reply, (db, after) =>
    readAfter(db, filter, { after, limit: rowsAtOnce }),
  );
  const reading = { actor, query, by: authorOf(reply.request) };
  if (kind === 'payments') await recordSearch(context, reading);
  if (reply.request.method !== 'HEAD') await recordExport(context, reading, { kind });
  const isTest = await isExportOfTests(context.db, actor, filter);
  return sendCsv(reply, { name, columns, form, isTest }, rows);
}

/** @returns whether an export's rows are of test stores: those of the filter, or of the store's own people */
async function isExportOfTests(
  db: Queryable,
  { storeId: own }: Pick<Actor, 'storeId'>,
  { test }: KindFilter,
): Promise<boolean> {
  if (test !== undefined || own === null) return test === true;
  return (await findStore(db, own))?.test === true;
}
