import { setTimeout as delay } from 'node:timers/promises';
import { callJson } from '@payments/testing/json-client';

export type Mail = { to: string; subject: string; text: string; receivedAt: string };

// A person who had a mail so recently gets the next ones of its kind together, later.
const collectedMs = 300_000;
const isRecentReview = ({ subject, receivedAt }: Mail) =>
  subject.includes('em análise') && Date.now() - Date.parse(receivedAt) < collectedMs;

/**
 * Waits for the mail about a payment in review, or takes the last one of the minutes in which they are collected.
 * @throws an error after `patienceMs` without a mail
 */
export async function reviewMail(mailbox: string, paymentId: string, patienceMs: number): Promise<Mail> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const mails = await callJson<Mail[]>(`${mailbox}/messages`, undefined).catch(() => {
      throw new Error(`no mailbox answers at ${mailbox}: set MAILBOX_PORT as npm start printed it`);
    });
    const found = mails.find((mail) => mail.text.includes(paymentId)) ?? mails.find(isRecentReview);
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`no mail within ${patienceMs / 1000} s`);
    await delay(250);
  }
}
