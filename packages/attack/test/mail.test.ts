import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createMail } from '../src/mail/mail.ts';

t.test('a fault of the mail server that meets a killed one is none, and ends no run', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'payments-attack-mail-'));
  const mail = await createMail(dir, (line) => t.fail(line));
  t.teardown(async () => {
    await mail.kill();
    rmSync(dir, { recursive: true });
  });
  await mail.start();
  await mail.kill();
  await t.resolves(mail.behave('refuses'));
  await mail.start();
  await t.resolves(mail.behave('refuses'));
});
