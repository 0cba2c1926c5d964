import { createRequire } from 'node:module';
import { connect } from '@payments/database/connection';
import { openBanks } from '@payments/pix/banks';
import { pino } from 'pino';
import { type AccountAt, accountsOf } from './bank.ts';
import { type Operation, operate } from './operations.ts';

/** A process that runs operations on request, and kills itself at a given database statement. */
export type Order = {
  operation: Operation;
  offsetMs: number;
  /** The ids of the configured banks, in order of preference. */
  configured: readonly string[];
  /** Whether lost payments are created anew. */
  recovers: boolean;
  /** The n-th statement: before the server gets it, or before its response. */
  kill?: { at: 'statement' | 'sent'; n: number } | undefined;
};

export type Setup = { databaseUrl: string; places: AccountAt[] };

type Client = { prototype: { query(...given: unknown[]): unknown } };
let kill: Order['kill'];
let statements = 0;

/** Counts every statement, including `begin` and `commit`. */
function countStatements(): void {
  const { Client } = createRequire(import.meta.resolve('@payments/database/connection'))('pg') as {
    Client: Client;
  };
  const send = Client.prototype.query;
  // Only while the operation runs.
  const die = (): void => void (kill && process.kill(process.pid, 'SIGKILL'));
  Client.prototype.query = function query(...given) {
    statements += 1;
    const isHere = statements === kill?.n;
    if (isHere && kill?.at === 'statement') die();
    const answer = send.apply(this, given);
    if (isHere) setImmediate(die);
    return answer;
  };
}

const { databaseUrl, places }: Setup = JSON.parse(process.argv[2]!);
countStatements();
let offsetMs = 0;
const now = () => new Date(Date.now() + offsetMs);
const db = connect(databaseUrl, { applicationName: 'history-worker', poolSize: 4 });
const banks = openBanks(accountsOf(places), { now: () => now().getTime() });
const rules = {
  publicUrl: 'http://payments.example.com',
  refundRetrySeconds: [60, 600],
  chargeGraceSeconds: 120,
};
const context = { ...rules, recoversPayments: false, db, banks, now, log: pino({ level: 'silent' }) };

process.on('message', async (order: Order) => {
  const configured = order.configured.map((id) => places.find((place) => place.id === id)!);
  banks.replace(accountsOf(configured));
  [offsetMs, kill, statements] = [order.offsetMs, order.kill, 0];
  context.recoversPayments = order.recovers;
  const outcome = await operate(context, order.operation).catch((error: Error) => ({ error: error.stack }));
  kill = undefined;
  process.send!(outcome);
});
process.on('disconnect', () => process.exit());
process.send!('ready');
