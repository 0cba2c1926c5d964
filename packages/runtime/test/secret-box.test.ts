import t from 'tap';
import { ConfigurationError } from '../src/environment.ts';
import { decrypt, encrypt, secretBox } from '../src/secret-box.ts';

const secret = 'whsec_c2VjcmV0';
const box = secretBox(['a key of thirty-two characters..']);

t.equal(box.open(box.seal(secret)), secret);
t.notMatch(box.seal(secret), 'c2VjcmV0');
t.not(box.seal(secret), box.seal(secret), 'equal secrets look different');
t.equal(box.open(secret), secret, 'a secret from before the key');
t.equal(secretBox([]).seal(secret), secret, 'without a key nothing is sealed');

const changed = secretBox(['the next key', 'a key of thirty-two characters..']);
t.equal(changed.open(box.seal(secret)), secret, 'the key before opens while it is changed');
t.throws(() => box.open(changed.seal(secret)), ConfigurationError);
t.throws(() => secretBox([]).open(box.seal(secret)), { message: /^SECRETS_KEY/ });
const sealed = box.seal(secret);
t.throws(() => box.open(`${sealed.slice(0, -2)}AA`), ConfigurationError, 'altered');
t.throws(() => box.open('sealed:'), ConfigurationError, 'cut off');

const [key, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const owned = encrypt(key, Buffer.from(secret), 'ana');
t.equal(decrypt([other, key], owned, 'ana')?.toString(), secret);
t.equal(decrypt([key], owned, 'bia'), undefined, 'for another owner');
t.equal(decrypt([key], owned.subarray(0, 15), 'ana'), undefined, 'with a short tag');
