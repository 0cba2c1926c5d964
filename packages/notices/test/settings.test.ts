import { readEnvironment } from '@payments/runtime/environment';
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { mailRoute, mailSettings, noticeSettings, postRoute } from '../src/settings.ts';

const schema = Type.Object({ ...mailSettings, ...noticeSettings });
const read = (env: Record<string, string>) => {
  const settings = readEnvironment(schema, env);
  return { mail: mailRoute(settings), post: postRoute(settings), collect: settings.NOTICES_COLLECT_SECONDS };
};
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

t.same(read({}), { mail: undefined, post: undefined, collect: 300 }, 'without settings nothing leaves');
t.match(read({ SMTP_URL: 'smtp://127.0.0.1:25', MAIL_FROM: 'Pix <pix@localhost>' }), {
  mail: { server: { host: '127.0.0.1', port: 25 }, from: 'Pix <pix@localhost>', allowPlain: false },
});
t.match(read({ NOTICES_URL: 'https://chat.example/hook?id=1', NOTICES_SECRET: secret }), {
  post: { url: 'https://chat.example/hook?id=1', secret },
});

const mail = { SMTP_URL: 'smtps://user:pass@mail.example', MAIL_FROM: 'pix@example.com' };
const wrong: [env: Record<string, string>, message: RegExp][] = [
  [{ ...mail, SMTP_URL: 'http://mail.example' }, /^SMTP_URL must match/],
  [{ ...mail, SMTP_URL: 'smtp://mail.example/path' }, /^SMTP_URL must end/],
  [{ ...mail, SMTP_URL: 'smtp://user@mail.example' }, /^SMTP_URL must have a user and a password/],
  [{ SMTP_URL: mail.SMTP_URL }, /^MAIL_FROM is required with SMTP_URL$/],
  [{ ...mail, MAIL_FROM: 'pix' }, /^MAIL_FROM must be an e-mail address/],
  [{ ...mail, MAIL_FROM: 'a@example.com\r\nBcc: b@example.com' }, /^MAIL_FROM must be/],
  [{ ...mail, SMTP_CA_FILE: '/nowhere/ca.pem' }, /^SMTP_CA_FILE can't be read: ENOENT$/],
  [{ ...mail, SMTP_CA_FILE: import.meta.filename }, /^SMTP_CA_FILE has no certificate in PEM$/],
  [{ ...mail, SMTP_ALLOW_PLAIN: 'yes' }, /^SMTP_ALLOW_PLAIN must match/],
  [{ NOTICES_URL: 'ftp://chat.example', NOTICES_SECRET: secret }, /^NOTICES_URL must match/],
  [{ NOTICES_URL: 'https://a:b@chat.example', NOTICES_SECRET: secret }, /^NOTICES_URL must be without/],
  [{ NOTICES_URL: 'https://chat.example' }, /^NOTICES_SECRET is required with NOTICES_URL$/],
  [{ NOTICES_SECRET: 'secret' }, /^NOTICES_SECRET must match/],
  [{ NOTICES_COLLECT_SECONDS: '0' }, /^NOTICES_COLLECT_SECONDS must be >= 1$/],
];
for (const [env, message] of wrong) t.throws(() => read(env), { name: 'ConfigurationError', message });
