import t from 'tap';
import { type PanelClient, panelClient } from '../panel-client.ts';
import { startTwoBanks } from '../two-banks.ts';

/** Two people pause and resume the same bank, each from a page that the other one’s action made old. */
const { system } = await startTwoBanks(t, { dispatcher: false });
const { admin } = system;
const olga = panelClient(system.adminUrl);
const otto = panelClient(system.adminUrl);
await olga.signIn();
await otto.signIn();

const pause = async (person: PanelClient, reason: string) =>
  (await person.post('/panel/banks/efi/pause', { reason })).headers.get('location');
const page = async (person: PanelClient) => (await person.get('/panel/banks')).text;
const shownIn = (text: string) => /name="shown" value="([^"]+)"/.exec(text)?.[1] ?? '';
const resume = (person: PanelClient, shown: string) => person.post('/panel/banks/efi/resume', { shown });
const efi = async () => (await admin('/admin/banks')).body.items[0];
const changes = async (limit: number) => (await admin(`/admin/changes?limit=${limit}`)).body.items;
const [done, already] = ['/panel/banks?done=bank-paused', '/panel/banks?done=bank-paused-already'];

t.test('a second pause is in the record, and the page shows both reasons', async (t) => {
  t.equal(await pause(olga, 'manutenção até as 11h'), done);
  const { since } = await efi();
  t.equal(await pause(otto, 'chave vazou, não retomar'), already);
  t.equal(await pause(otto, 'chave vazou, não retomar'), already);
  t.match(await efi(), { state: 'paused', since });
  t.match((await otto.get(already)).text, 'O banco já estava pausado.');
  const text = await page(olga);
  t.ok(text.indexOf('manutenção até as 11h') < text.indexOf('chave vazou, não retomar'), 'first one first');
  t.equal(text.split('chave vazou, não retomar').length, 2, 'a repeated reason is shown once');
  t.match(await changes(3), [
    { action: 'bank.paused', subject: 'efi', reason: 'chave vazou, não retomar' },
    { action: 'bank.paused', subject: 'efi', reason: 'chave vazou, não retomar' },
    { action: 'bank.paused', subject: 'efi', reason: 'manutenção até as 11h' },
  ]);
  t.equal((await resume(olga, shownIn(text))).status, 303);
  t.match(await efi(), { state: 'healthy' });
});

t.test('of two pauses at once both are in the record', async (t) => {
  const answers = await Promise.all([pause(olga, 'manutenção'), pause(otto, 'chave vazou')]);
  t.same(answers.sort(), [done, already]);
  const reasons = (await changes(2)).map(({ reason }: { reason: string }) => reason);
  t.same(reasons.sort(), ['chave vazou', 'manutenção']);
  t.equal((await resume(olga, shownIn(await page(olga)))).status, 303);
});

t.test('a page resumes only the pause that it showed', async (t) => {
  await pause(olga, 'manutenção');
  const old = shownIn(await page(otto));
  t.equal((await resume(olga, old)).status, 303);
  await pause(olga, 'chave vazou');
  const { status, text } = await resume(otto, old);
  t.equal(status, 409);
  t.match(text, 'O banco não foi retomado');
  t.match(text, 'chave vazou', 'the page as it is now');
  t.match(await efi(), { state: 'paused' });
  t.match(await changes(1), [{ action: 'bank.paused', reason: 'chave vazou' }]);
  t.equal((await resume(otto, shownIn(text))).status, 303, 'from that page it goes');
  t.match(await efi(), { state: 'healthy' });
  t.equal((await resume(olga, shownIn(text))).status, 303, 'resumed already');
  t.match(await changes(2), [{ action: 'bank.resumed' }, { action: 'bank.paused' }]);
});

t.test('a page that did not show the second pause resumes nothing, also of the same reason', async (t) => {
  await pause(olga, 'manutenção');
  for (const reason of ['chave vazou', 'manutenção']) {
    const old = shownIn(await page(olga));
    await pause(otto, reason);
    t.equal((await resume(olga, old)).status, 409);
    t.match(await efi(), { state: 'paused' });
  }
  const { status } = await admin('/admin/banks/efi/resume', { method: 'POST' });
  t.equal(status, 204, 'a program resumes whatever pause there is');
  t.match(await efi(), { state: 'healthy' });
});

t.test('reasons without end are all in the record, and the first and the newest on the page', async (t) => {
  const reasons = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(2_000));
  for (const reason of reasons) await pause(olga, reason);
  const text = await page(olga);
  t.same(
    reasons.map((reason) => text.includes(reason)),
    [true, false, false, true, true],
  );
  t.equal(text.split('>…<').length, 2, 'it says once that there are more');
  t.match(
    (await changes(5)).map(({ reason }: { reason: string }) => reason),
    reasons.toReversed(),
  );
});
