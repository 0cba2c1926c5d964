import { readFileSync } from 'node:fs';
import { ConfigurationError } from '@payments/runtime/environment';
import { noCertificate } from '@payments/runtime/server-tls';
import { secondsSetting } from '@payments/runtime/settings';
import { type Static, type TObject, Type } from '@sinclair/typebox';
import validator from 'validator';
import { type MailServer, readSmtpUrl } from './mail/smtp-url.ts';

/** The settings of mail. */
export const mailSettings = {
  SMTP_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://',
      description:
        'The mail server that tells people what waits for them: `smtp://user:password@host:587`, or `smtps://…:465`; ' +
        'without it nobody gets mail',
    }),
  ),
  MAIL_FROM: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'The sender of mails, `pix@example.com` or `Name <pix@example.com>`; required with `SMTP_URL`',
    }),
  ),
  SMTP_CA_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description: "The mail server's certificate authority, PEM, where it is none of the public ones",
    }),
  ),
  SMTP_ALLOW_PLAIN: Type.String({
    pattern: '^(true|false)$',
    default: 'false',
    description: '`true` lets a mail server beyond this machine be without TLS; a password never travels so',
  }),
};

/** The settings of the platform's webhook, and of how notices are collected. */
export const noticeSettings = {
  NOTICES_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s#]+$',
      description:
        'Where notices are posted, such as the incoming webhook of a chat; this address may be internal',
    }),
  ),
  NOTICES_SECRET: Type.Optional(
    Type.String({
      pattern: '^whsec_',
      description: 'Signs these posts by Standard Webhooks, `whsec_…`; required with `NOTICES_URL`',
    }),
  ),
  NOTICES_COLLECT_SECONDS: secondsSetting(
    300,
    'For so long after a mail, more of its kind for the same person wait, to come together',
  ),
};

/** How mails leave. */
export type MailRoute = { server: MailServer; from: string; allowPlain: boolean; ca: string | undefined };

/**
 * Reads `SMTP_URL`, `MAIL_FROM`, `SMTP_CA_FILE` and `SMTP_ALLOW_PLAIN`.
 * @returns undefined where no mail is sent
 * @throws ConfigurationError with the variable's name
 */
export function mailRoute(settings: Static<TObject<typeof mailSettings>>): MailRoute | undefined {
  const { SMTP_URL, MAIL_FROM, SMTP_CA_FILE, SMTP_ALLOW_PLAIN } = settings;
  if (SMTP_URL === undefined) return undefined;
  const server = readSmtpUrl(SMTP_URL);
  if (typeof server === 'string') throw new ConfigurationError(`SMTP_URL ${server}`);
  if (MAIL_FROM === undefined) throw new ConfigurationError('MAIL_FROM is required with SMTP_URL');
  if (!validator.isEmail(MAIL_FROM, { allow_display_name: true, require_tld: false }))
    throw new ConfigurationError('MAIL_FROM must be an e-mail address, or Name <address>');
  const problem = SMTP_CA_FILE === undefined ? undefined : noCertificate(SMTP_CA_FILE);
  if (problem) throw new ConfigurationError(`SMTP_CA_FILE ${problem}`);
  const ca = SMTP_CA_FILE === undefined ? undefined : readFileSync(SMTP_CA_FILE, 'utf8');
  return { server, from: MAIL_FROM, allowPlain: SMTP_ALLOW_PLAIN === 'true', ca };
}

/** The platform's webhook. */
export type PostRoute = { url: string; secret: string };

/**
 * Reads `NOTICES_URL` and `NOTICES_SECRET`.
 * @returns undefined where nothing is posted
 * @throws ConfigurationError with the variable's name
 */
export function postRoute(settings: Static<TObject<typeof noticeSettings>>): PostRoute | undefined {
  const { NOTICES_URL, NOTICES_SECRET } = settings;
  if (NOTICES_URL === undefined) return undefined;
  const { username, password } = new URL(NOTICES_URL);
  if (username !== '' || password !== '')
    throw new ConfigurationError('NOTICES_URL must be without a user and password');
  if (NOTICES_SECRET === undefined)
    throw new ConfigurationError('NOTICES_SECRET is required with NOTICES_URL');
  return { url: NOTICES_URL, secret: NOTICES_SECRET };
}
