import t from 'tap';
import { lookBehind } from '../../src/deliveries/look-behind.ts';

t.test('a look that finds plenty is followed by the next at once', async (t) => {
  const look = lookBehind(() => t.fail('nobody waits'));
  for (let times = 0; times < 3; times += 1)
    t.equal(await look(async () => ({ claimed: 100, tookMs: 20 })), 100);
});

t.test('a look in vain rests, and wakes whoever asked meanwhile', async (t) => {
  let woken = () => {};
  const waking = new Promise<void>((resolve) => {
    woken = resolve;
  });
  const look = lookBehind(woken);
  let looks = 0;
  const inVain = async () => {
    looks += 1;
    return { claimed: 0, tookMs: 10 };
  };
  const since = performance.now();
  t.equal(await look(inVain), 0);
  t.equal(await look(inVain), 0);
  t.equal(looks, 1, 'it rests');
  // A rest keeps no process from ending: something else has to.
  const alive = setInterval(() => {}, 1_000);
  await waking;
  clearInterval(alive);
  t.ok(performance.now() - since >= 35, 'four times as long as it took');
  await look(inVain);
  t.equal(looks, 2);
});

t.test('while a look is under way no other is made', async (t) => {
  const look = lookBehind(() => {});
  const first = look(async () => ({ claimed: 1, tookMs: 0 }));
  t.equal(await look(async () => t.fail('a second look') as never), 0);
  t.equal(await first, 1);
});

t.test('a look that fails is not the last', async (t) => {
  const look = lookBehind(() => {});
  await t.rejects(
    look(async () => {
      throw new Error('the database is away');
    }),
  );
  t.equal(await look(async () => ({ claimed: 2, tookMs: 0 })), 2);
});
