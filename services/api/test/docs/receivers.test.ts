import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EndpointHealth, healthAfter, parkedAfterMs } from '@payments/webhooks/endpoint-health';
import { DEFAULT_SCHEDULE, nextStep } from '@payments/webhooks/retry';
import t from 'tap';
import { userAgent } from '../../../dispatcher/src/settings.ts';

/** The guide's words to receivers, in both languages, follow from the code that decides. */
const docs = join(import.meta.dirname, '../../docs');
const guides = ['guide.md', 'pt/guide.md'].map(
  (file) => [file, readFileSync(join(docs, file), 'utf8')] as const,
);
const [firstRest = 0] = DEFAULT_SCHEDULE;
const failed = (health: EndpointHealth | null, now: Date) =>
  healthAfter(health, { succeeded: false, probe: health?.openUntil != null }, now, firstRest);

/** @returns how many failures open a circuit, and its rests in seconds while each probe fails at once */
function outage(count: number): { failures: number; rests: number[] } {
  let now = new Date(0);
  let health = failed(null, now);
  while (health && !health.openUntil) health = failed(health, now);
  const failures = health?.failures ?? 0;
  const rests: number[] = [];
  while (health?.openUntil && rests.length < count) {
    rests.push((health.openUntil.getTime() - now.getTime()) / 1_000);
    now = health.openUntil;
    health = failed(health, now);
  }
  return { failures, rests };
}

t.test('how long after an outage events come again', async (t) => {
  const { failures, rests } = outage(8);
  t.equal(failures, 10);
  t.same(rests, [5, 10, 20, 40, 60, 60, 60, 60]);
  const parked = new Date(parkedAfterMs + 1);
  const open = { failures: 99, openings: 99, openUntil: new Date(0), failingSince: new Date(0) };
  const parkedHours = ((failed(open, parked)?.openUntil?.getTime() ?? 0) - parked.getTime()) / 3_600_000;
  t.same([parkedAfterMs / 86_400_000, parkedHours], [3, 6]);
  const figures = [
    [/after 5 s, 10 s, 20 s and 40 s, then every 60 s/, /After ten failures/, /three days .* every 6 hours/],
    [
      /depois de 5 s, 10 s, 20 s e 40 s, e então a cada 60 s/,
      /Depois de dez falhas/,
      /três dias .* a cada 6 horas/,
    ],
  ];
  for (const [index, [file, guide]] of guides.entries())
    for (const figure of figures[index]!) t.match(guide, figure, file);
});

t.test('how long an event stays away that is refused, and for how long Retry-After counts', async (t) => {
  const answered = (retryAfter: string | null) =>
    nextStep({
      attempts: 1,
      result: { outcome: 'answered', status: 503, retryAfter, responseExcerpt: '', durationMs: 1 },
      now: new Date(),
      random: 0.5,
      schedule: DEFAULT_SCHEDULE,
    }).retryInMs;
  t.equal(answered(null), 5_000);
  t.equal(answered('999999'), 5_000 + 2 * 3_600_000);
  const [english, portuguese] = guides.map(([, guide]) => guide);
  t.match(english, /respond with 503: it comes again after about 5 s/);
  t.match(portuguese, /responda 503: ele volta depois de cerca de 5 s/);
  t.match(english, /`Retry-After`.* by up to two hours/);
  t.match(portuguese, /`Retry-After`.* em até duas horas/);
});

t.test('the User-Agent to let through, and addresses', async (t) => {
  t.match(userAgent, /^public-payments\/\d/);
  for (const [file, guide] of guides) {
    t.match(guide, /`User-Agent` `public-payments\/`/, file);
    t.match(guide, /`public-payments\/test`/, file);
  }
  const testEvent = readFileSync(join(docs, '../src/administration/stores/actions.ts'), 'utf8');
  t.match(testEvent, "'user-agent': 'public-payments/test'");
});
