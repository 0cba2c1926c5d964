import { writePersonalMail } from '@payments/database/notices/notices';
import { newId } from '@payments/domain/identifiers';
import { startMailServer } from '@payments/testing/mail-server';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { openSystem } from '../shop.ts';

t.test('mails go out in turn: many for some people make the others wait for few of them', async (t) => {
  const mail = await startMailServer();
  t.teardown(() => mail.close());
  const env = { SMTP_URL: mail.url, MAIL_FROM: 'Pix <pix@localhost>' };
  const system = await openSystem(t, { dispatcher: false, env });
  /** Invites a person; that is the first mail. */
  const invite = async (name: string) => {
    const to = `${name}@example.com`;
    const { body } = await system.admin('/admin/accounts', { body: { name, email: to, role: 'operator' } });
    return { name, to, accountId: body.id as string };
  };
  const tell = async ({ name, ...person }: Awaited<ReturnType<typeof invite>>) => {
    const now = new Date();
    const facts = { name, at: now.toISOString(), change: 'password', origin: null } as const;
    await writePersonalMail(system.db, {
      id: newId(),
      kind: 'access_changed',
      facts,
      link: null,
      now,
      ...person,
    });
  };
  const [early, one, two, late] = [
    await invite('early'),
    await invite('one'),
    await invite('two'),
    await invite('late'),
  ];
  for (let told = 0; told < 20; told += 1) for (const person of [one, two]) await tell(person);
  for (const person of [early, late]) await tell(person);

  const dispatcher = await system.startDispatcher();
  t.teardown(() => dispatcher.close());
  const all = await eventually('all mails', async () =>
    mail.received.length === 4 + 2 * 20 + 2 ? mail.received.map(({ to }) => to) : undefined,
  );
  for (const { to } of [early, late])
    t.ok(all.lastIndexOf(to) < 2 * 4, `the second mail of ${to} is number ${all.lastIndexOf(to)}`);
});
