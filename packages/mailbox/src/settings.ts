import { portSetting, processSettings } from '@payments/runtime/settings';
import { Type } from '@sinclair/typebox';

/** The mailbox's environment. */
export const mailboxSettings = Type.Object({
  PORT: portSetting(3004, 'Port of the page and of `GET /messages`'),
  SMTP_PORT: portSetting(0, 'Port that takes mails; 0 takes any free one'),
  HOST: Type.String({ default: '127.0.0.1', description: 'Address to listen on; it asks nobody who reads' }),
  LOG_LEVEL: processSettings.LOG_LEVEL,
});
