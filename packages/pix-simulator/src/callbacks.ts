import type { FastifyBaseLogger } from 'fastify';
import { Agent, type Dispatcher } from 'undici';
import type { BankRules } from './banks/rules.ts';
import type { Faults } from './faults.ts';
import { addToLatest } from './journal.ts';
import type { Ledger, StoredPix } from './ledger.ts';
import { isHit, odd } from './looks.ts';
import { showPix } from './shapes.ts';

/** One attempt to tell the receiver, as `GET /bank/callbacks` shows it. */
export type CallbackAttempt = { endToEndIds: string[]; attempt: number; outcome: string; url: string };

/** Tells the receiver of Pix that arrived and refunds that settled (API Pix 2.9, callback of `/webhook`). */
export interface Callbacks {
  /** Returns at once; the report is made in the background, and again when it fails. */
  report(pix: StoredPix): void;
  /** The latest attempts, the newest last. */
  readonly attempts: readonly CallbackAttempt[];
  /** Tries an address before it is registered. The status, or null where nothing answered. */
  probe(url: string, body: unknown): Promise<number | null>;
  close(): Promise<void>;
}

export type CallbacksOptions = {
  ledger: Ledger;
  faults: Faults;
  log: FastifyBaseLogger;
  /** Pauses before the second attempt, the third, and so on; then it gives up. */
  retryMs: number[];
  rules: Pick<BankRules, 'callbackAddress' | 'showReported'>;
};

const TIMEOUT_MS = 10_000;

export function createCallbacks({ ledger, faults, log, retryMs, rules }: CallbacksOptions): Callbacks {
  const agent = new Agent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const timers = new Set<NodeJS.Timeout>();
  const batches = new Map<string, StoredPix[]>();
  const attempts: CallbackAttempt[] = [];

  const shown = (pix: StoredPix) => (isHit(faults, pix.txid) ? odd(showPix(pix), faults) : showPix(pix));

  const later = (milliseconds: number, run: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, milliseconds);
    timers.add(timer);
  };

  const attempt = async (key: string, pix: StoredPix[], number: number): Promise<void> => {
    const webhook = ledger.webhooks.get(key);
    if (!webhook) return;
    const url = rules.callbackAddress(webhook.url);
    const body = { pix: pix.map((one) => rules.showReported(shown(one))) };
    const outcome = await postJson(agent, url, body);
    const made = { endToEndIds: pix.map((one) => one.endToEndId), attempt: number + 1, outcome, url };
    addToLatest(attempts, made);
    log.info({ attempt: made.attempt, endToEndIds: made.endToEndIds, outcome }, 'callback');
    const wait = retryMs[number];
    if (outcome === 'delivered' || wait === undefined || agent.destroyed) return;
    later(wait, () => void attempt(key, pix, number + 1));
  };

  const send = (key: string, pix: StoredPix[], waitMs: number) => {
    const copies = faults.duplicateCallbacks ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) later(waitMs, () => void attempt(key, pix, 0));
  };

  const collect = (pix: StoredPix) => {
    const batch = batches.get(pix.key);
    if (batch) return batch.push(pix);
    batches.set(pix.key, [pix]);
    return later(faults.batchCallbacksMs, () => {
      send(pix.key, batches.get(pix.key) ?? [], faults.delayCallbacksMs);
      batches.delete(pix.key);
    });
  };

  return {
    attempts,
    report(pix) {
      if (faults.dropCallbacks) return;
      if (faults.batchCallbacksMs > 0) collect(pix);
      else send(pix.key, [pix], faults.delayCallbacksMs);
    },
    async probe(url, body) {
      const outcome = await postJson(agent, url, body);
      if (outcome === 'delivered') return 200;
      return Number(/^status (\d+)$/.exec(outcome)?.[1]) || null;
    },
    async close() {
      for (const timer of timers) clearTimeout(timer);
      await agent.destroy();
    },
  };
}

/** POSTs JSON. `delivered` for any 2xx; else the status or the error's code. Never throws. */
export async function postJson(dispatcher: Dispatcher, address: string, body: unknown): Promise<string> {
  try {
    const { origin, pathname, search } = new URL(address);
    const answer = await dispatcher.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await answer.body.dump();
    return answer.statusCode >= 200 && answer.statusCode < 300 ? 'delivered' : `status ${answer.statusCode}`;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'failed';
  }
}
