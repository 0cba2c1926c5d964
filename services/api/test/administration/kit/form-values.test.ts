import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { numberFrom } from '../../../src/administration/kit/form-values.ts';
import { panelClient } from '../panel-client.ts';

t.test('numbers as Brazilians and programs write them', (t) => {
  const cases: [text: string, number: number | null][] = [
    ['', null],
    ['   ', null],
    ['1.234,56', 1_234.56],
    ['R$ 10', 10],
    ['r$10,5 ', 10.5],
    ['1,5 %', 1.5],
    ['1234.56', 1_234.56],
    ['1.234', 1_234],
    ['1.234.567', 1_234_567],
    ['0.025 %', 0.025],
    ['0.500', 0.5],
    ['01.234', 1.234],
    ['dez', Number.NaN],
    ['1 %%', Number.NaN],
  ];
  for (const [text, number] of cases) t.same(numberFrom(text), number, text);
  t.end();
});

// A reader that looks at each blank again for each of them would need hours for this one.
t.test('a number between a million blanks is read like any other', (t) => {
  t.equal(numberFrom(`1${' '.repeat(1_000_000)}0 %`), 10);
  t.end();
});

t.test('a form that is larger than any is refused, and changes nothing', async (t) => {
  const system = await startSystem({ dispatcher: false });
  t.teardown(system.stop);
  const person = panelClient(system.adminUrl);
  await person.signIn();
  const store = await system.createStore();
  const path = `/panel/stores/${store.id}`;
  t.equal((await person.post(path, { name: 'x'.repeat(70_000) }, path)).status, 413);
  const stranger = await fetch(`${system.adminUrl}/panel/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ email: 'x'.repeat(70_000) }),
  });
  t.equal(stranger.status, 413, 'and so is a stranger’s');
  const blanks = ' '.repeat(50_000);
  await person.post(path, { name: 'Loja', maxAmount: `4${blanks}000,00` }, path);
  t.match((await system.admin(`/admin/stores/${store.id}`)).body, { name: 'Loja', maxAmount: 4_000 });
});
