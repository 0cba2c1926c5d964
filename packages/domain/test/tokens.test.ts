import { createHash } from 'node:crypto';
import t from 'tap';
import {
  hasKeyForm,
  hasTokenForm,
  judgeToken,
  newKey,
  newTestToken,
  newToken,
  type TokenRecord,
  type TokenVerdict,
  tokenHash,
} from '../src/tokens.ts';

const now = new Date('2026-11-21T12:00:00Z');
const [before, after] = [new Date(now.getTime() - 1), new Date(now.getTime() + 1)];
const good: TokenRecord = { supersededAt: null, deactivatedAt: null, expiresAt: null, storeActive: true };

const table: [name: string, token: Partial<TokenRecord> | undefined, verdict: TokenVerdict][] = [
  ['unknown', undefined, 'invalid'],
  ['without expiry', {}, 'valid'],
  ['a millisecond before its expiry', { expiresAt: after }, 'valid'],
  ['at its expiry', { expiresAt: now }, 'invalid'],
  ['after its expiry', { expiresAt: before }, 'invalid'],
  ['deactivated', { deactivatedAt: before }, 'invalid'],
  ['deactivated by a clock that is ahead', { deactivatedAt: after }, 'invalid'],
  ['superseded', { supersededAt: before }, 'superseded'],
  ['superseded by a clock that is ahead', { supersededAt: after }, 'superseded'],
  ['superseded and expired', { supersededAt: before, expiresAt: before }, 'superseded'],
  ['superseded and deactivated', { supersededAt: before, deactivatedAt: before }, 'superseded'],
  ['of an inactive store', { storeActive: false }, 'store-inactive'],
  ['expired, of an inactive store', { storeActive: false, expiresAt: before }, 'invalid'],
  ['deactivated, of an inactive store', { storeActive: false, deactivatedAt: before }, 'invalid'],
  ['superseded, of an inactive store', { storeActive: false, supersededAt: before }, 'superseded'],
];
for (const [name, token, verdict] of table) {
  t.test(`a token ${name} is ${verdict}`, async (t) =>
    t.equal(judgeToken(token && { ...good, ...token }, now), verdict),
  );
}

t.test('tokens are 256 random bits, URL-safe and distinct', async (t) => {
  const tokens = Array.from({ length: 1_000 }, newToken);
  for (const token of tokens) if (!/^pp_[A-Za-z0-9_-]{43}$/.test(token)) t.fail(token);
  t.equal(new Set(tokens).size, 1_000);
  t.equal(Buffer.from(tokens[0]?.slice(3) ?? '', 'base64url').length, 32);
});

t.test('the stored hash is the SHA-256 of the whole token', async (t) => {
  const token = newToken();
  t.strictSame(tokenHash(token), createHash('sha256').update(token, 'utf8').digest());
  t.notSame(tokenHash(token), tokenHash(token.slice(3)));
});

t.test('what has not the form of a token or key needs no look-up', (t) => {
  const [token, key] = [newToken(), newKey()];
  t.same([hasTokenForm(token), hasKeyForm(token)], [true, false]);
  t.same([hasTokenForm(key), hasKeyForm(key)], [false, true]);
  for (const other of [
    '',
    'x',
    token.slice(0, -1),
    `${token}a`,
    `${token}\n`,
    ` ${token}`,
    token.replace('_', '-'),
    key.slice(0, -1),
    `${key}a`,
    ` ${key}`,
    `x${key}`,
  ])
    t.same([hasTokenForm(other), hasKeyForm(other)], [false, false], JSON.stringify(other));
  t.end();
});

t.test('a token of a test store says so, and is as hard to guess', async (t) => {
  const token = newTestToken();
  t.match(token, /^pp_test_[A-Za-z0-9_-]{43}$/);
  t.equal(Buffer.from(token.slice(8), 'base64url').length, 32);
  t.ok(hasTokenForm(token));
  for (const other of [token.slice(0, -1), `${token}a`, token.replace('test', 'tost'), token.toUpperCase()])
    t.notOk(hasTokenForm(other), other);
});
