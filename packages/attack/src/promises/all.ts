import type { Breach } from '../observations.ts';
import { acknowledged } from './acknowledged.ts';
import { amounts } from './amounts.ts';
import { availability, catchesUp } from './availability.ts';
import { oneBank } from './bank-facts.ts';
import { deliveries } from './deliveries.ts';
import { history } from './history.ts';
import { isolation, nothingInward, storesApart } from './isolation.ts';
import { money } from './money.ts';
import type { Case, Check } from './promise.ts';
import { repeats } from './repeats.ts';
import { returns } from './returns.ts';
import { testsApart } from './tests-apart.ts';
import { toldChanges } from './told-changes.ts';
import { toldPeople } from './told-people.ts';

/** The promises; some are also checked during the load. */
export const promises: readonly string[] = [
  'a payment answered with 200 is there',
  'every change has its event, every event its delivery',
  'a repeat is the same, and follows only from a fault',
  'money is conserved: a Pix acts once, a refund is made once',
  'only a store’s newest token works, at once',
  'a store sees its own payments only',
  'all goes on without NATS and the PSP, and recovers by itself',
  'a restart loses nothing and fails no request',
  'bad receivers do not slow good ones, and one store slows no other',
  'no webhook goes inward',
  'what we say is what the bank has',
  'a payment is at one bank: nobody sees a second code, and what another one took is removed',
  'every change of what reads show is told, and the feed skips and repeats none',
  'people are told what waits for them, a repeated mail says the same, and mail that fails costs nothing else',
  'no test charge is at a real bank, no real one at the test bank, and sums are real money alone',
];

const checks: readonly Check[] = [
  acknowledged,
  history,
  deliveries,
  repeats,
  money,
  storesApart,
  availability,
  catchesUp,
  isolation,
  nothingInward,
  amounts,
  returns,
  oneBank,
  toldChanges,
  testsApart,
];

/** @returns every breach, the lowest promise first */
export function judge(run: Case): Breach[] {
  // A mail server that fails excuses nothing else.
  const others = { ...run, windows: run.windows.filter(({ kind }) => kind !== 'mail') };
  const judged = [...checks.flatMap((check) => check(others)), ...toldPeople(run)];
  const found = [...run.observations.breaches, ...judged];
  return found.toSorted((a, b) => a.promise - b.promise);
}
