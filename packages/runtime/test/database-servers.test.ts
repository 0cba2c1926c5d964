import t from 'tap';
import { databaseServers } from '../src/database-servers.ts';

const accepted: [url: string, servers: string[]][] = [
  ['postgres://u:p@a:5432/db', ['postgres://u:p@a:5432/db']],
  ['postgresql://u:p@a:1,b:2/db', ['postgresql://u:p@a:1/db', 'postgresql://u:p@b:2/db']],
  [
    'postgres://u:p,q@a,[::1]:2/db?sslmode=require',
    ['postgres://u:p,q@a/db?sslmode=require', 'postgres://u:p,q@[::1]:2/db?sslmode=require'],
  ],
  ['postgres://a,b', ['postgres://a', 'postgres://b']],
  ['postgres:///db?host=/var/run/postgresql', ['postgres:///db?host=/var/run/postgresql']],
  ['postgres://a/db?target_session_attrs=read-write', ['postgres://a/db?target_session_attrs=read-write']],
  ['postgres://u:100%@a/db', ['postgres://u:100%@a/db']],
  ['postgres://u%40x:%C3%A7%23%2F@a/db', ['postgres://u%40x:%C3%A7%23%2F@a/db']],
  ['postgres://a/db?target_session_attrs=primary', ['postgres://a/db?target_session_attrs=primary']],
];
for (const [url, servers] of accepted) {
  t.test(url, async (t) => t.strictSame(databaseServers(url), servers));
}

const refused: [url: string, message: RegExp][] = [
  ['postgres://u:p@a:x/db', /must be a valid URL/],
  ['postgres://u:p@a:1,b:99999/db', /must be a valid URL/],
  ['postgres://a,,b/db', /must be a valid URL/],
  ['postgres://a,/db', /must be a valid URL/],
  ['postgres://a, b/db', /must be a valid URL/],
  ['postgres://u:%ff@a/db', /must be a valid URL/],
  ['a', /must be a valid URL/],
  ['postgres://u:12#34@a/db', /must have %23 for a #/],
  ['postgres://u:p#34@a/db', /must have %23 for a #/],
  ['postgres://a,b/db?target_session_attrs=any', /must have target_session_attrs=read-write, or none/],
  ['postgres://a,b/db?target_session_attrs=standby', /must have target_session_attrs=read-write, or none/],
];
for (const [url, message] of refused) {
  t.test(`refused: ${url}`, async (t) => t.throws(() => databaseServers(url), { message }));
}
