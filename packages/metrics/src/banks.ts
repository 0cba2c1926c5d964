import { secondsSince, sharedReading } from './backlog.ts';
import type { Registry } from './registry.ts';

/** The work that waits at a bank; a time is null for none. */
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
  const banks = sharedReading(register, read);
  const show = (name: string, help: string, of: (bank: WatchedBank) => number) =>
    banks.show(name, help, (known) => Object.fromEntries(known.map((bank) => [bank.id, of(bank)])), 'bank');

  show('bank_paused_seconds', 'How long each bank has been paused, 0 if it is not', ({ pausedSince }) =>
    secondsSince(pausedSince, now()),
  );
  show(
    'bank_oldest_unheard_seconds',
    'Age of the oldest charge that each bank may have taken while the payment became another bank’s, 0 for none',
    ({ unheardSince }) => secondsSince(unheardSince, now()),
  );
  show(
    'bank_not_configured',
    '1 for each bank that has open work and is not configured any more',
    ({ isOpen, isConfigured }) => Number(isOpen && !isConfigured),
  );
}
