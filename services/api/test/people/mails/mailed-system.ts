import { type MailServer, type ReceivedMail, startMailServer } from '@payments/testing/mail-server';
import { startSystem, type TestSystem } from '@payments/testing/system';
import type { Test } from 'tap';

/** The panel's address in mails. */
const panelUrl = 'https://painel.pix.example';

/** A system whose mails arrive at a real mail server. */
export type Mailed = {
  mail: MailServer;
  system: TestSystem;
  /** The mail to a person whose subject has this, past or future. */
  mailTo(to: string, subject: string): Promise<ReceivedMail>;
  subjectsTo(to: string): string[];
};

/** @param t is torn down with the system */
export async function openMailed(t: Pick<Test, 'teardown'>): Promise<Mailed> {
  const mail = await startMailServer();
  t.teardown(() => mail.close());
  const env = {
    SMTP_URL: mail.url,
    MAIL_FROM: 'Painel <painel@pix.example>',
    ADMIN_URL: panelUrl,
    TRUST_PROXY: '127.0.0.1',
    SCAN_INTERVAL_SECONDS: '1',
  };
  const system = await startSystem({ env });
  t.teardown(system.stop);
  return {
    mail,
    system,
    mailTo: (to, subject) => mail.waitFor((one) => one.to === to && one.subject.includes(subject)),
    subjectsTo: (to) => mail.received.filter((one) => one.to === to).map(({ subject }) => subject),
  };
}

/** @returns the path of a mail's link that sets a password */
export function linkIn({ text }: Pick<ReceivedMail, 'text'>): string {
  return new RegExp(`${panelUrl}(/panel/invitation/[\\w-]{43})`).exec(text)?.[1] ?? '';
}
