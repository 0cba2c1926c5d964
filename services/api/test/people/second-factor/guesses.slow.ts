import t from 'tap';
import { panelClient } from '../../administration/panel-client.ts';
import { newPerson, password } from '../../administration/panel-people.ts';
import { openFactors, step } from './factors.ts';

/** Guesses at the code of a second factor by the dozen, at sign-ins and at proofs. */
const { system, later, codeOf, enrol, half } = await openFactors(t);

t.test('after twenty wrong codes in a row none of the app is accepted, from anywhere', async (t) => {
  const nina = await newPerson(system);
  const { secret, codes } = await enrol(nina);
  const guess = async (address: string) => {
    later(1_000);
    return (await half(nina, address)).give('123456');
  };
  for (let wrong = 1; wrong < 20; wrong += 1)
    t.match((await guess(`203.0.113.${50 + wrong}`)).text, 'Código incorreto ou já usado.', String(wrong));
  const last = await guess('203.0.113.90');
  t.equal(last.status, 401);
  t.match(last.text, 'Houve códigos errados demais');
  later(3_600);
  const known = panelClient(system.adminUrl, { 'x-forwarded-for': '198.51.100.77' });
  await known.signInAs(nina.email, password);
  const right = await known.post(step, { code: codeOf(secret) }, step);
  t.equal(right.status, 401, 'not the right one, either');
  t.match(right.text, 'Houve códigos errados demais');
  const stopped = (await system.admin('/admin/changes?limit=200')).body.items.filter(
    ({ action }: { action: string }) => action === 'account.second_factor_stopped',
  );
  t.match(stopped, [{ subject: nina.id, authorId: nina.id }]);
  t.equal(stopped.length, 1);
  t.equal((await (await half(nina, '198.51.100.77')).give(codes[0]!)).status, 303, 'a recovery code is');
  later(60);
  t.equal((await (await half(nina, '198.51.100.78')).give(codeOf(secret))).status, 303, 'and codes again');
});

t.test('wrong codes at proofs wait, and stop no code of a sign-in', async (t) => {
  const pia = await newPerson(system);
  const { secret } = await enrol(pia);
  for (let wrong = 1; wrong <= 21; wrong += 1) {
    later(1_000);
    const { text } = await pia.post('/panel/keys', { name: 'x', role: 'viewer', code: '123456' });
    t.match(text, 'Código incorreto ou já usado.', String(wrong));
  }
  t.equal((await (await half(pia, '198.51.100.90')).give(codeOf(secret))).status, 303);
});

t.test('a right code forgets the wrong ones before it', async (t) => {
  const olga = await newPerson(system);
  const { secret } = await enrol(olga);
  for (let round = 0; round < 6; round += 1) {
    for (let wrong = 0; wrong < 4; wrong += 1) {
      later(60);
      t.equal((await (await half(olga)).give('123456')).status, 401);
    }
    later(60);
    t.equal((await (await half(olga)).give(codeOf(secret))).status, 303);
  }
});
