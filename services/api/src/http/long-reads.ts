import type { Database, Queryable } from '@payments/database/connection';
import { inLimitedTime } from '@payments/database/limited-time';
import type { FastifyReply } from 'fastify';
import pLimit from 'p-limit';
import type { Actor } from '../access/actor.ts';
import { atMostEach, unbounded, waitingCalls } from './bounds.ts';
import { errors } from './errors/errors.ts';

/**
 * Reads that may take long: searches by text, sums, statements, exports, comparisons with a bank. Many of one actor or
 * one process would otherwise hold the connections and the processor for which others wait (Design: Bounds). Both faces
 * share these bounds.
 */
export type LongReads = {
  /** Reads in its turn. @throws ApiError 429 if too many wait, or if a statement takes too long */
  read<T>(actor: Actor, work: (db: Queryable) => Promise<T>): Promise<T>;
  /** Reads a page of a list in its turn: its total counts every row, and a late page passes over all before it. */
  list<T>(actor: Actor, work: (db: Queryable) => Promise<T>): Promise<T>;
  /**
   * Counts an export until its answer has ended.
   * @param page reads the rows after one
   * @returns the same, in its turn with other exports: one that has begun is not refused
   * @throws ApiError 429 if too many are under way
   */
  ofExport<Row>(
    reply: FastifyReply,
    page: (db: Queryable, after: Row | undefined) => Promise<Row[]>,
  ): (after: Row | undefined) => Promise<Row[]>;
  /** Compares a day with the banks in its turn. @throws ApiError 429 if too many wait */
  compare<T>(actor: Actor, work: () => Promise<T>): Promise<T>;
  /** Changes thousands of rows in its turn, since others' changes wait for the end of the record. @throws ApiError 429 */
  changeMany<T>(actor: Actor, work: () => Promise<T>): Promise<T>;
};

type Options = {
  /** Reads and lists that run at a time. */
  running: number;
  /** The longest that one statement may take. */
  timeoutMs?: number;
};

const readsOfEach = { running: 1, waiting: 9 };
const listsOfEach = { running: 1, waiting: Number.POSITIVE_INFINITY };
const exports = { all: { running: 16, waiting: 0 }, each: { running: 2, waiting: 0 } };
// A comparison waits for a bank, and holds no connection meanwhile.
const comparisons = { all: { running: 4, waiting: 12 }, each: { running: 1, waiting: 3 } };
const changes = { all: { running: 1, waiting: 12 }, each: { running: 1, waiting: 3 } };
const retry = { readSeconds: 5, exportSeconds: 30 };
// A client that takes nothing for so long has gone, or holds the place of another export.
const idleExportMs = 120_000;

/** Does a store's work in its turn. @throws ApiError 429 if too many of the store wait */
export type StoreTurns = <T>(storeId: string, work: () => Promise<T>) => Promise<T>;

// A single read may take long: a page of the feed may pass over thousands of events of other types, and a late page of a
// list passes over all rows before it.
const turnsOfStore = { running: 1, waiting: 499 };

/**
 * @param running stores whose turn it is at a time, each on a connection for which sales may wait
 * @returns the turns of what is neither a sale nor the read of one payment: lists, pages of the feed, refunds and
 * cancellations, which wait for each other's locks
 */
export function storeTurns(running: number): StoreTurns {
  const inTurn = atMostEach({ all: { running, waiting: Number.POSITIVE_INFINITY }, each: turnsOfStore });
  return (storeId, work) => orRefuse(inTurn(storeId, work), retry.readSeconds);
}

// A bank gets 64 calls at a time of a process: while it is slow, some are left for other stores' sales.
const salesOfStore = { running: 50, waiting: waitingCalls };

/** @returns the turns of sales, of which some of each store are under way at a time */
export function saleTurns(): StoreTurns {
  const inTurn = atMostEach({ all: unbounded, each: salesOfStore });
  return (storeId, work) => orRefuse(inTurn(storeId, work), retry.readSeconds);
}

// A deed waits for the test bank, so it takes none of the turns of lists and refunds, which real stores share.
const deeds = { all: { running: 8, waiting: Number.POSITIVE_INFINITY }, each: { running: 1, waiting: 99 } };

/** @returns the turns of deeds at the test bank, one of each store at a time: the next one sees what the last one did */
export function deedTurns(): StoreTurns {
  const inTurn = atMostEach(deeds);
  return (storeId, work) => orRefuse(inTurn(storeId, work), retry.readSeconds);
}

/** Asks a bank for refunds in the turn of a store; undefined at once if too many wait. */
export type RefundTurns = (storeId: string, work: () => Promise<unknown>) => Promise<unknown> | undefined;

// While a bank is slow, most of the 64 calls that it gets are left for sales. A turn asks for what one order or callback
// caused.
const refunds = { all: { running: 8, waiting: 500 }, each: { running: 4, waiting: 100 } };

/** @returns the turns in which banks are asked at once for refunds; the dispatcher's scan asks for all others */
export const refundTurns = (): RefundTurns => atMostEach(refunds);

/** @param db the database of all that sales must not wait for */
export function longReads(db: Database, { running, timeoutMs = 10_000 }: Options): LongReads {
  const reading = atMostEach({ all: { running, waiting: 40 }, each: readsOfEach });
  const listing = atMostEach({ all: unbounded, each: listsOfEach });
  const together = pLimit(running);
  const exporting = atMostEach(exports);
  const pageInTurn = pLimit(1);
  const comparing = atMostEach(comparisons);
  const changing = atMostEach(changes);
  const inTime = <T>(read: (trx: Queryable) => Promise<T>) => inLimitedTime(db, timeoutMs, read);
  return {
    read: (actor, work) =>
      orRefuse(
        reading(nameOf(actor), () => together(() => inTime(work))),
        retry.readSeconds,
      ),
    list: (actor, work) =>
      orRefuse(
        listing(nameOf(actor), () => together(() => work(db))),
        retry.readSeconds,
      ),
    ofExport: (reply, page) => {
      const { actor } = reply.request;
      const ended = exporting(nameOf(actor), () => closed(reply));
      if (!ended) throw errors.tooManyRequests(retry.exportSeconds);
      reply.raw.setTimeout(idleExportMs);
      return (after) => pageInTurn(() => inTime((trx) => page(trx, after)));
    },
    compare: (actor, work) => orRefuse(comparing(nameOf(actor), work), retry.readSeconds),
    changeMany: (actor, work) => orRefuse(changing(nameOf(actor), work), retry.readSeconds),
  };
}

async function orRefuse<T>(begun: Promise<T> | undefined, seconds: number): Promise<T> {
  if (!begun) throw errors.tooManyRequests(seconds);
  return begun;
}

/**
 * A response that waits behind another on its connection has no socket yet, and does not close with it.
 * @returns when the response has closed
 */
export function closed({ raw, request }: FastifyReply): Promise<void> {
  const { socket } = request.raw;
  return new Promise((resolve) => {
    if (raw.destroyed || socket.destroyed) return resolve();
    const end = () => {
      socket.off('close', end);
      resolve();
    };
    raw.once('close', end);
    // Each request of a connection may wait for its end.
    socket.setMaxListeners(0).once('close', end);
  });
}

/** @returns the account, the key, or `ADMIN_KEY` */
function nameOf({ id, kind }: Actor): string {
  return id ?? kind;
}

/** @returns a signal that ends what a client asked for and does not wait for any more */
export function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  return gone.signal;
}
