import t from 'tap';
import { readSmtpUrl } from '../../src/mail/smtp-url.ts';

const server = { host: 'mail.example', port: 587, isTls: false, credentials: undefined, isLocal: false };

const urls: Record<string, ReturnType<typeof readSmtpUrl>> = {
  'smtp://mail.example': server,
  'smtp://mail.example/': server,
  'smtp://mail.example:2525': { ...server, port: 2525 },
  'smtps://mail.example': { ...server, port: 465, isTls: true },
  'smtp://pix%40loja.example:a%3Ab%2F%25c@mail.example': {
    ...server,
    credentials: { user: 'pix@loja.example', pass: 'a:b/%c' },
  },
  'smtp://localhost:1025': { ...server, host: 'localhost', port: 1025, isLocal: true },
  'smtp://127.1.2.3:25': { ...server, host: '127.1.2.3', port: 25, isLocal: true },
  'smtp://[::1]:25': { ...server, host: '::1', port: 25, isLocal: true },
  'smtp://10.0.0.7:25': { ...server, host: '10.0.0.7', port: 25 },
  'http://mail.example': 'must be smtp://user:password@host:port or smtps://…',
  'smtp://': 'must be smtp://user:password@host:port or smtps://…',
  'mail.example': 'must be smtp://user:password@host:port or smtps://…',
  'smtp://mail.example:99999': 'must be smtp://user:password@host:port or smtps://…',
  'smtp://mail.example:0': 'must have a port of 1 or more',
  'smtp://user@mail.example': 'must have a user and a password, or neither, and %25 for a percent sign',
  'smtp://user:100%@mail.example': 'must have a user and a password, or neither, and %25 for a percent sign',
  // Options in the address could turn the verification of certificates off.
  'smtp://mail.example?tls.rejectUnauthorized=false': 'must end with the host and port',
  'smtp://mail.example/inbox': 'must end with the host and port',
};

t.test('SMTP_URL names a server, or is refused', async (t) => {
  for (const [url, expected] of Object.entries(urls)) t.same(readSmtpUrl(url), expected, url);
});
