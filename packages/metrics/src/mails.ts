import { Counter } from 'prom-client';
import type { Registry } from './registry.ts';

const recipients = ['people', 'webhook'] as const;
const results = ['sent', 'failed', 'retry', 'dropped'] as const;

export type MailTry = { to: (typeof recipients)[number]; result: (typeof results)[number] };

/** Counts the tries to send mails to people, and posts to the platform's webhook, by how they ended. */
export function mailMetrics(register: Registry): (tried: MailTry) => void {
  const tries = new Counter({
    name: 'payments_mail_tries_total',
    help:
      'Tries to send a mail to people, or a post to the platform’s webhook (to), by result: sent, failed for good, ' +
      'retry, or dropped, since all of it was settled before',
    labelNames: ['to', 'result'],
    registers: [register],
  });
  // With a series at 0, the first failure counts as an increase.
  for (const to of recipients) for (const result of results) tries.inc({ to, result }, 0);
  return (tried) => tries.inc(tried);
}
