import { patienceMs } from '@payments/testing/patience';
import Fastify from 'fastify';
import t from 'tap';
import { createErrorAnswers, errorAnswers } from '../../src/http/errors/error-answers.ts';
import { lastingPressure, loadShedding } from '../../src/http/load-shedding.ts';

/** The process sheds load before it collapses, and only then. */
const moments: [name: string, askedAt: number[], turnedAway: boolean[]][] = [
  ['one pause', [0, 10, 900, 1_400], [false, false, false, false]],
  ['pressure that lasts', [0, 1_000, 1_600, 2_500], [false, false, true, true]],
  ['two pauses, far apart', [0, 900, 60_000, 60_900], [false, false, false, false]],
  ['pressure with rare requests', [0, 2_900, 5_800], [false, true, true]],
  ['pressure that ended long ago', [0, 1_600, 10_000], [false, true, false]],
];
for (const [name, askedAt, turnedAway] of moments) {
  t.test(name, async (t) => {
    let time = 0;
    const isLasting = lastingPressure(() => time);
    const answers = askedAt.map((at) => {
      time = at;
      return isLasting();
    });
    t.strictSame(answers, turnedAway);
  });
}

t.test('a blocked event loop: 503, and service again when it is over', async (t) => {
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(
    errorAnswers,
    createErrorAnswers(() => {}),
  );
  await app.register(loadShedding);
  app.get('/', async () => 'ok');
  const ask = () => app.inject('/');
  t.equal((await ask()).statusCode, 200);

  let answer = await ask();
  for (let blocks = 0; answer.statusCode === 200 && blocks < 8; blocks += 1) {
    block(1_150);
    // A timer takes the sample, so let due timers run.
    await new Promise((resolve) => setTimeout(resolve, 0));
    answer = await ask();
  }
  t.equal(answer.statusCode, 503);
  t.strictSame(answer.json(), { statusCode: 503, message: 'Serviço temporariamente indisponível.' });
  t.equal(answer.headers['retry-after'], '1');

  for (const until = Date.now() + patienceMs; answer.statusCode !== 200 && Date.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    answer = await ask();
  }
  t.equal(answer.statusCode, 200);
});

function block(ms: number) {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
