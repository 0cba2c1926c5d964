import { cachedReading } from './cached-reading.ts';
import { gaugeBy, type Registry } from './registry.ts';

/** What waits at a bank; a time is null for none. */
export type WatchedBank = {
  id: string;
  isConfigured: boolean;
  pausedSince: Date | null;
  unheardSince: Date | null;
  isOpen: boolean;
};

/** Shows for each bank that was ever configured what a person should know of it, while the database can be read. */
export function watchBankWaits(
  register: Registry,
  read: () => Promise<readonly WatchedBank[]>,
  now: () => Date,
): void {
  const banks = cachedReading(read);
  const show = (name: string, help: string, of: (bank: WatchedBank) => number) =>
    gaugeBy(register, { name, help, label: 'bank' }, async () => {
      const known = await banks();
      return known && Object.fromEntries(known.map((bank) => [bank.id, of(bank)]));
    });
  const secondsSince = (moment: Date | null) =>
    moment === null ? 0 : Math.max(0, now().getTime() - moment.getTime()) / 1_000;

  show('payments_bank_paused_seconds', 'How long each bank has been paused, 0 if it is not', (bank) =>
    secondsSince(bank.pausedSince),
  );
  show(
    'payments_bank_oldest_unheard_seconds',
    'Age of the oldest charge that each bank may have taken while the payment became another bank’s, 0 for none',
    (bank) => secondsSince(bank.unheardSince),
  );
  show(
    'payments_bank_not_configured',
    '1 for each bank that has open work and is not configured any more',
    (bank) => Number(bank.isOpen && !bank.isConfigured),
  );
}
