import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { expiresAt } from './charges.ts';
import type { Entry } from './ledger.ts';

/** An append-only file of JSON lines. What was appended survives a SIGKILL of this process. */
export interface Journal {
  append(entry: unknown): void;
  close(): void;
}

/** Replays the file's entries through `replay`, then opens it for appending. Without a file, nothing is kept. */
export function openJournal(file: string | undefined, replay: (entry: unknown) => void): Journal {
  if (!file) return { append() {}, close() {} };
  for (const line of wholeLines(file)) replay(JSON.parse(line));
  const descriptor = openSync(file, 'a');
  return {
    append(entry) {
      writeSync(descriptor, `${JSON.stringify(entry)}\n`);
    },
    close() {
      fsyncSync(descriptor);
      closeSync(descriptor);
    },
  };
}

/** Writes the entries that are kept to a new file, which takes the journal's place at once: a kill leaves one of the two. */
function rewriteJournal(file: string, isKept: (entry: Entry) => boolean): void {
  const written = `${file}.new`;
  const descriptor = openSync(written, 'w');
  for (const line of wholeLines(file)) if (isKept(JSON.parse(line))) writeSync(descriptor, `${line}\n`);
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(written, file);
}

/**
 * Reads a journal line by line: a long one would not fit in memory. A kill during a write leaves half a line at the end.
 * Its request was never answered, so it is cut off.
 */
function* wholeLines(file: string): Generator<string> {
  if (!existsSync(file)) return;
  const descriptor = openSync(file, 'r');
  const chunk = Buffer.alloc(65_536);
  let rest = Buffer.alloc(0);
  let size = 0;
  try {
    for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk)) {
      size += read;
      const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
      const end = bytes.lastIndexOf('\n') + 1;
      yield* bytes.toString('utf8', 0, end).split('\n').filter(Boolean);
      rest = bytes.subarray(end);
    }
  } finally {
    closeSync(descriptor);
  }
  if (rest.length > 0) truncateSync(file, size - rest.length);
}

/**
 * Drops from a journal the charges that ended before a moment, with their Pix and locations. The end is the latest of
 * expiry, Pix and last refund.
 */
export function dropOldCharges(file: string, since: number): void {
  const lastUse = new Map<string, number>();
  for (const line of wholeLines(file)) {
    const entry: Entry = JSON.parse(line);
    const txid = txidOf(entry);
    if (txid !== null) lastUse.set(txid, Math.max(lastUse.get(txid) ?? 0, usedAt(entry)));
  }
  const old = new Set([...lastUse].filter(([, at]) => at < since).map(([txid]) => txid));
  if (old.size > 0) rewriteJournal(file, (entry) => !old.has(txidOf(entry) ?? ''));
}

function txidOf(entry: Entry): string | null {
  if ('charge' in entry) return entry.charge.txid;
  if ('pix' in entry) return entry.pix.txid;
  return 'location' in entry ? entry.location.txid : null;
}

/** When a charge ends, a Pix came, or its last refund is settled. */
function usedAt(entry: Entry): number {
  if ('charge' in entry) return expiresAt(entry.charge);
  if (!('pix' in entry)) return 0;
  const { paidAt, refunds } = entry.pix;
  return Math.max(paidAt, ...refunds.map(({ settlesAt }) => settlesAt));
}

const kept = 1_000;

/** Adds to a list that keeps only what came last: a bank may run for months. */
export function addToLatest<One>(list: One[], one: One): void {
  list.push(one);
  if (list.length > kept) list.shift();
}
