import t from 'tap';
import { openScene } from './scene.ts';
import { watchReceiver } from './watched-receiver.ts';

// The first retry comes soon. The second one's due time is read from the database.
const secondPause = 600;
let ahead = 0;
const { shop } = await openScene(t, {
  env: { WEBHOOK_RETRY_SECONDS: `0.1,${secondPause}` },
  now: () => new Date(Date.now() + ahead),
});

/**
 * Waits for the second failure.
 * @returns bounds of the chosen pause in seconds: the next attempt's due time counts from the record of this one, which
 * is made after its end and before this function sees it
 */
async function pauseAfterSecond(payment: { id: string }): Promise<{ least: number; most: number }> {
  const delivery = await shop.until(payment, 0, 'tried twice', (one) => one.attempts.length === 2);
  const seenAt = Date.now() + ahead;
  const { startedAt, durationMs } = delivery.attempts[1]!;
  const due = Date.parse(String(delivery.nextAttemptAt));
  // Each time is in whole milliseconds; the duration may be rounded up or down.
  return {
    least: (due - seenAt - 2) / 1_000,
    most: (due - Date.parse(startedAt) - Number(durationMs) + 2) / 1_000,
  };
}

t.test('the pause is spread over a fifth of itself, both ways', async (t) => {
  const receiver = await watchReceiver(t);
  receiver.answerWith(() => ({ status: 500 }));
  // Each has its own endpoint, so that no circuit opens.
  const payments = await shop.chargeMany(20, (index) => receiver.at(`/${index}`));
  const pauses = await Promise.all(payments.map(pauseAfterSecond));
  for (const { least, most } of pauses) {
    t.ok(most >= secondPause * 0.8 && least <= secondPause * 1.2, `${least} to ${most} s`);
  }
  const spread = Math.max(...pauses.map(({ least }) => least)) - Math.min(...pauses.map(({ most }) => most));
  t.ok(spread > secondPause * 0.05, 'they don’t return together');
});

t.test('Retry-After is honoured, up to the pause and two hours more, and never shortens it', async (t) => {
  const receiver = await watchReceiver(t);
  const cases: [string, string, number, number][] = [
    ['/seconds', String(secondPause * 1.5), secondPause * 1.5, secondPause * 1.5],
    ['/huge', '9'.repeat(120), secondPause + 7_200, secondPause + 7_200],
    ['/at-once', '0', secondPause * 0.8, secondPause * 1.2],
  ];
  receiver.answerWith((visit) => {
    const asked = cases.find(([path]) => path === visit.path)?.[1] ?? '';
    const first = receiver.visits.filter(({ path }) => path === visit.path).length === 1;
    return { status: 503, headers: first ? {} : { 'retry-after': asked } };
  });
  await Promise.all(
    cases.map(async ([path, asked, least, most]) => {
      const pause = await pauseAfterSecond(await shop.charge(receiver.at(path)));
      const told = `Retry-After: ${asked.slice(0, 30)} gives ${pause.least} to ${pause.most} s`;
      t.ok(pause.most >= least && pause.least <= most, told);
    }),
  );
});

t.test('each attempt has its own signature and time, and the same id', async (t) => {
  const receiver = await watchReceiver(t);
  receiver.answerWith(() => {
    ahead += 60_000;
    return { status: receiver.visits.length > 1 ? 200 : 500 };
  });
  await shop.charge(receiver.at('/'));
  await receiver.until(() => receiver.visits.length === 2);
  const [first, second] = receiver.visits;
  const seconds = (visit = first) => Number(visit?.headers['webhook-timestamp']);
  t.equal(first?.id, second?.id);
  t.equal(first?.body, second?.body);
  t.ok(seconds(second) - seconds(first) >= 60);
  t.not(first?.headers['webhook-signature'], second?.headers['webhook-signature']);
});
