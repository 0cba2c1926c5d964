import t from 'tap';
import { hashPassword as hashOf, isPassword } from '../../../src/people/sign-in/passwords.ts';

const accented = 'São João não dá pé à noite'.normalize('NFC');
let accounts = 0;
/** The hash for an account of its own. */
const hashPassword = (password: string) => {
  accounts += 1;
  return hashOf(password, `account ${accounts}`);
};

t.test('a password is right however a keyboard writes its letters', async (t) => {
  const stored = await hashPassword(accented);
  t.ok(await isPassword(accented, stored));
  t.ok(await isPassword(accented.normalize('NFD'), stored));
  t.notOk(await isPassword('Sao Joao nao da pe a noite', stored));
  t.notOk(await isPassword(accented, null));
});

t.test('a text that is longer than any password is wrong without its normal form', async (t) => {
  const { normalize } = String.prototype;
  const lengths: number[] = [];
  t.teardown(() => Object.assign(String.prototype, { normalize }));
  String.prototype.normalize = function (this: string, form?: string) {
    lengths.push(this.length);
    return normalize.call(this, form);
  };
  // Marks out of order: each moves past all of those before it.
  const marks = 'a\u0301\u0323'.padEnd(30_000, '\u0301\u0323');
  t.notOk(await isPassword(marks, await hashPassword('uma frase longa')));
  t.ok(Math.max(...lengths) < 2_000, String(lengths));
});

t.test('a sign-in does not wait until all new passwords are made', async (t) => {
  const stored = await hashPassword(accented);
  let made = 0;
  const flood = Array.from({ length: 40 }, async () => {
    await hashPassword(accented);
    made += 1;
  });
  t.ok(await isPassword(accented, stored));
  t.ok(made < 20, String(made));
  await Promise.all(flood);
});

t.test('new passwords of one account wait for each other, and nobody else for all of them', async (t) => {
  let made = 0;
  const flood = Array.from({ length: 30 }, async () => {
    await hashOf(accented, 'one link');
    made += 1;
  });
  const settled = Promise.allSettled(flood);
  await hashPassword(accented);
  t.ok(made < 3, String(made));
  const refused = (await settled).flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  t.equal(made, 10);
  t.equal(refused.length, 20);
  t.match(refused[0], { statusCode: 429, message: 'Muitas requisições. Tente novamente mais tarde.' });
});
