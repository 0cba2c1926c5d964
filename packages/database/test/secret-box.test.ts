import { ConfigurationError } from '@payments/runtime/environment';
import t from 'tap';
import { decrypt, encrypt, type Seal, type SealingKeys, secretBox } from '../src/secret-box.ts';

const secret = 'whsec_c2VjcmV0';
const [first, second] = ['a key of thirty-two characters..', 'the next key'];
const box = secretBox({ current: first });

t.equal(box.open(box.seal(secret, 'shop'), 'shop'), secret);
t.notMatch(box.seal(secret, 'shop'), 'c2VjcmV0');
t.not(box.seal(secret, 'shop'), box.seal(secret, 'shop'), 'equal secrets look different');
t.equal(box.open(secret, 'shop'), secret, 'a secret from before the key');
t.equal(secretBox({}).seal(secret, 'shop'), secret, 'without a key nothing is sealed');
t.throws(() => box.open(box.seal(secret, 'shop'), 'other shop'), ConfigurationError, 'in the row of another');

const changed = secretBox({ current: second, previous: [first] });
t.equal(changed.open(box.seal(secret, 'shop'), 'shop'), secret, 'the key before opens while it is changed');
t.throws(() => box.open(changed.seal(secret, 'shop'), 'shop'), ConfigurationError);
t.throws(() => secretBox({}).open(box.seal(secret, 'shop'), 'shop'), { message: /^SECRETS_KEY/ });
const sealed = box.seal(secret, 'shop');
t.throws(() => box.open(`${sealed.slice(0, -2)}AA`, 'shop'), ConfigurationError, 'altered');
t.throws(() => box.open('sealed:', 'shop'), ConfigurationError, 'cut off');

const later = secretBox({ current: second });
const cases: [what: string, stored: string, keys: SealingKeys, seal: Seal][] = [
  ['with the key', sealed, { current: first }, 'current'],
  ['with the key before', sealed, { current: second, previous: [first] }, 'old'],
  ['with a key that is gone', sealed, { current: second }, 'lost'],
  ['before there was a key', secret, { current: first }, 'old'],
  ['where there is no key', secret, {}, 'current'],
  ['where there is no key any more', sealed, {}, 'lost'],
  ['the key was taken away, and still opens', sealed, { previous: [first] }, 'current'],
  ['by a successor', later.seal(secret, 'shop'), { current: first, next: second }, 'current'],
  ['by a successor, unannounced', later.seal(secret, 'shop'), { current: first }, 'lost'],
  ['altered', `${sealed.slice(0, -2)}AA`, { current: first }, 'lost'],
  ['for another', box.seal(secret, 'other shop'), { current: first }, 'lost'],
];
for (const [what, stored, keys, seal] of cases) t.equal(secretBox(keys).sealOf(stored, 'shop'), seal, what);

const [key, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const owned = encrypt(key, Buffer.from(secret), 'ana');
t.equal(decrypt([other, key], owned, 'ana')?.toString(), secret);
t.equal(decrypt([key], owned, 'bia'), undefined, 'for another owner');
t.equal(decrypt([key], owned.subarray(0, 15), 'ana'), undefined, 'with a short tag');
