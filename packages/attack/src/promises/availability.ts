import type { Window } from '../faults/fault.ts';
import type { Breach, Failure } from '../observations.ts';
import { breachOf, type Case, type Check } from './promise.ts';

/** Promises 7 and 8: a request fails only while a server that it needs is down, clearly, and never due to a restart. */
export const availability: Check = ({ observations, windows }) => [
  ...observations.failures.filter(isOurs).flatMap((failure) => judge(failure, windows)),
];

const unavailable = '{"statusCode":503,"message":"Serviço temporariamente indisponível."}';
const atTheBank = ['pay', 'take back', 'bank', 'gather'];
const isOurs = ({ what }: Failure) => !atTheBank.includes(what);

// How long a fault may have effects: connections reopen, transactions end.
const recoveryMs: Partial<Record<Window['kind'], number>> = {
  api: 2_000,
  postgres: 15_000,
  machine: 5_000,
};
// An approval and a payout need the bank; an open breaker asks it again within seconds.
const bankRecoveryMs = 15_000;
const isAmidBank = ({ from, to }: Failure, { kind, fault, ...window }: Window) =>
  (kind === 'simulator' || fault.startsWith('bank-connection')) &&
  window.from <= to &&
  window.to + bankRecoveryMs >= from;
const isRestart = ({ fault }: Window) => fault === 'api-restarted' || fault === 'dispatcher-restarted';
// The API needs these to respond; it works without NATS and the bank.
const isNeeded = ({ fault, kind }: Window) =>
  recoveryMs[kind] !== undefined && !/^(nats|bank)-connection/.test(fault) && fault !== 'api-restarted';

function judge(failure: Failure, windows: readonly Window[]): Breach[] {
  const { what, status, says, from, to } = failure;
  if (status !== null && (status !== 503 || says !== unavailable))
    return [breachOf(7, undefined, `${what} was answered ${status}: ${says}`)];
  const during = (window: Window) => window.from <= to && window.to + (recoveryMs[window.kind] ?? 0) >= from;
  if (windows.some((window) => isNeeded(window) && during(window))) return [];
  if (what === 'approve or pay out' && windows.some((window) => isAmidBank(failure, window))) return [];
  const restart = windows.find((window) => isRestart(window) && during(window));
  const around = windows.filter(during).map(({ fault, target }) => `${fault} of ${target}`);
  const story = `${what} was answered ${status ?? 'not at all'} (${says}) ${new Date(from).toISOString()} to ${new Date(to).toISOString()}, amid ${around.join(', ') || 'nothing'}`;
  return [breachOf(restart ? 8 : 7, undefined, story)];
}

/** Promise 7: everything catches up at the end. */
export const catchesUp: Check = ({ left }: Case) =>
  Object.entries(left)
    .filter(([, number]) => number > 0)
    .map(([what, number]) =>
      breachOf(7, undefined, `when all faults were over, ${number} ${what} did not come to an end`),
    );
