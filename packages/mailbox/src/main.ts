import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { closeOnSignals, main } from '@payments/runtime/main';
import { buildMailbox } from './app.ts';
import { keepMessages } from './messages.ts';
import { mailboxSettings } from './settings.ts';
import { listenSmtp } from './smtp.ts';

const GRACE_MS = 5000;
const MESSAGES_AT_MOST = 500;

main('mailbox', async () => {
  const { PORT, SMTP_PORT, HOST, LOG_LEVEL } = readEnvironment(mailboxSettings, process.env);
  const logger = createLogger('mailbox', LOG_LEVEL);
  const messages = keepMessages(MESSAGES_AT_MOST);
  const smtp = await listenSmtp(messages, { host: HOST, port: SMTP_PORT });
  const app = buildMailbox(messages, logger);
  closeOnSignals(logger, GRACE_MS, async () => {
    await smtp.close();
    await app.close();
  });
  logger.info({ port: smtp.port }, 'taking mails');
  await app.listen({ port: PORT, host: HOST });
});
