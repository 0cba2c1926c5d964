import type { FastifyBaseLogger } from 'fastify';
import { Agent } from 'undici';
import type { Faults } from './faults.ts';
import type { Ledger, StoredPix } from './ledger.ts';
import { showPix } from './shapes.ts';

/** Tells the receiver of Pix that arrived and refunds that settled (API Pix 2.9, callback of `/webhook`). */
export interface Callbacks {
  /** Returns at once; the report is made in the background, and again when it fails. */
  report(pix: StoredPix): void;
  close(): Promise<void>;
}

const TIMEOUT_MS = 10_000;

export function createCallbacks(options: {
  ledger: Ledger;
  faults: Faults;
  log: FastifyBaseLogger;
  retryMs: number[];
}): Callbacks {
  const { ledger, faults, log } = options;
  const agent = new Agent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const timers = new Set<NodeJS.Timeout>();

  const later = (milliseconds: number, run: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, milliseconds);
    timers.add(timer);
  };

  const attempt = async (key: string, body: string, number: number): Promise<void> => {
    const webhook = ledger.webhooks.get(key);
    if (!webhook) return;
    const outcome = await post(agent, `${webhook.url.replace(/\/+$/, '')}/pix`, body);
    log.info({ attempt: number + 1, outcome }, 'callback');
    const wait = options.retryMs[number];
    if (outcome === 'delivered' || wait === undefined || agent.destroyed) return;
    later(wait, () => void attempt(key, body, number + 1));
  };

  return {
    report(pix) {
      if (faults.dropCallbacks) return;
      // As it is now: a late report tells what was true when it was due.
      const body = JSON.stringify({ pix: [showPix(pix)] });
      const copies = faults.duplicateCallbacks ? 2 : 1;
      for (let copy = 0; copy < copies; copy += 1) {
        later(faults.delayCallbacksMs, () => void attempt(pix.key, body, 0));
      }
    },
    async close() {
      for (const timer of timers) clearTimeout(timer);
      await agent.destroy();
    },
  };
}

async function post(agent: Agent, address: string, body: string): Promise<string> {
  try {
    const { origin, pathname, search } = new URL(address);
    const answer = await agent.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await answer.body.dump();
    return answer.statusCode >= 200 && answer.statusCode < 300 ? 'delivered' : `status ${answer.statusCode}`;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'failed';
  }
}
