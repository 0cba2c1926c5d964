import { setTimeout as delay } from 'node:timers/promises';
import type { CreatedPayment } from '@payments/testing/answers';
import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem, type TestStore, type TestSystem } from '@payments/testing/system';
import { type Monitoring, monitor } from './monitoring.ts';
import type { Point } from './promql/evaluate.ts';

/** The whole service with its monitoring, and a store with a receiver that responds 200. */
export type MonitoredSystem = {
  system: TestSystem;
  stopDispatcher(): Promise<void>;
  monitoring: Monitoring;
  store: TestStore;
  webhookUrl: string;
  advance(seconds: number): void;
  charge(amount?: number, fields?: Record<string, unknown>): Promise<CreatedPayment>;
  pay(payment: CreatedPayment, valor?: number): Promise<void>;
  faults(faults: Record<string, unknown>): Promise<void>;
  /** Scrapes until an alert's condition holds. @returns the points for which it does */
  untilFiring(alert: string): Promise<Point[]>;
  untilQuiet(alert: string): Promise<void>;
};

const scrapeMs = 250;

export async function startMonitored(
  t: { teardown(end: () => Promise<unknown>): void },
  env: Record<string, string> = {},
  storeFields: Record<string, unknown> = {},
  wallClock?: () => number,
): Promise<MonitoredSystem> {
  let offsetMs = 0;
  const advance = (seconds: number) => {
    offsetMs += seconds * 1_000;
  };
  const system = await startSystem({
    dispatcher: false,
    now: () => new Date(Date.now() + offsetMs),
    ...(wallClock && { wallClock }),
    env: {
      RATE_LIMIT_PER_MINUTE: '0',
      SCAN_INTERVAL_SECONDS: '1',
      WEBHOOK_TIMEOUT_MS: '120000',
      ...env,
    },
  });
  t.teardown(system.stop);
  const dispatcher = await system.startDispatcher();
  let stopped: Promise<void> | undefined;
  const stopDispatcher = () => {
    stopped ??= dispatcher.close();
    return stopped;
  };
  t.teardown(stopDispatcher);
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  const store = await system.createStore(storeFields);
  const monitoring = monitor([
    { job: 'payments-api', url: `${system.adminUrl}/metrics` },
    { job: 'payments-dispatcher', url: `http://127.0.0.1:${dispatcher.port}/metrics` },
  ]);
  await monitoring.scrape();
  const until = (what: string, alert: string, isFiring: boolean) =>
    eventually(`${alert} to ${what}`, async () => {
      const points = await monitoring.firing(alert);
      if (points.length > 0 === isFiring) return points;
      await delay(scrapeMs);
      return undefined;
    });

  return {
    system,
    stopDispatcher,
    monitoring,
    store,
    webhookUrl: receiver.url,
    advance,
    charge: async (amount = 10, fields = {}) => {
      const body = { amount, webhookUrl: receiver.url, ...fields };
      return (await system.api('/api-public/payments', { token: store.token, body })).body;
    },
    pay: async ({ qrCopyPaste }, valor) => {
      const { status } = await system.bank('/bank/pay', {
        pixCopiaECola: qrCopyPaste,
        ...(valor === undefined ? {} : { valor }),
      });
      if (status !== 201) throw new Error(`not paid: ${status}`);
    },
    faults: async (faults) => {
      const { status } = await system.bank('/bank/faults', faults);
      if (status !== 200) throw new Error(`the bank knows no such faults: ${status}`);
    },
    untilFiring: (alert) => until('fire', alert, true),
    untilQuiet: async (alert) => void (await until('end', alert, false)),
  };
}
