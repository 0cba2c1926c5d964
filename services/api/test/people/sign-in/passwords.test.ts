import t from 'tap';
import { hashPassword, isPassword } from '../../../src/people/sign-in/passwords.ts';

const accented = 'São João não dá pé à noite'.normalize('NFC');

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
