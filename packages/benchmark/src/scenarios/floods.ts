import { type Flood, type FloodTarget, floods as kinds, sendAtOnce } from '@payments/testing/floods';
import { systemClient } from '@payments/testing/system-client';
import { fillPayments } from '../fill-tables.ts';
import { type Figure, ratioFigure, ratioFloor } from '../floors.ts';
import { type Generator, startGenerator } from '../load/generator.ts';
import { creations } from '../load/job.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { type Refusal, startBareHttp } from '../sides/others.ts';
import { type Ours, startOurs } from '../sides/ours.ts';
import { inTurns } from '../statistics.ts';

const payments = 120_000;
const perSecond = 50;
const pauseMs = 1_000;
const [searches, signIns, tokens] = kinds as [Flood, Flood, Flood];

/**
 * Creations of one store while somebody else searches, signs in wrongly or guesses tokens by the hundred at once.
 * Refused requests are compared with those of a bare `node:http` that refuses at once and whose sale is one round trip to
 * PostgreSQL. Node opens and parses all that arrives in one instant before it answers anybody: on a quiet machine with two
 * cores, 2,000 tokens kept sales of that process 46 to 60 ms, and 1,000 sign-ins 15 to 40 ms, where our calm is 8.5 ms.
 * So three times calm is a floor for searches alone. The report shows each side beside calm, too.
 */
export const floods: Scenario = {
  name: 'floods',
  title: 'creations beside 250 searches, 1,000 wrong sign-ins and 2,000 unknown tokens at once',
  run: async (bench) => {
    await using ours = await startOurs(bench.ground);
    const target = await targetOf(bench, ours);
    await using bare = await startBareHttp(bench.ground, await refusalsOf(target));
    const bareTarget = { ...target, url: bare.url, adminUrl: bare.url };
    await using generator = startGenerator();
    bench.say(`  filling: ${payments} payments`);
    await fillPayments(ours.databaseUrl, payments);
    const calm = () => p99Of(bench, generator, ours);
    const besides = (flood: Flood) => () => beside(flood, target, calm);
    const bares = (flood: Flood) => () => beside(flood, bareTarget, () => p99Of(bench, generator, bare));
    const figures = await inTurns(bench, { what: 'creations, p99', unit: 'ms' }, [
      { side: 'calm', run: calm },
      { side: searches.name, run: besides(searches) },
      { side: signIns.name, run: besides(signIns) },
      { side: `${bare.name}, ${signIns.name}`, run: bares(signIns) },
      { side: tokens.name, run: besides(tokens) },
      { side: `${bare.name}, ${tokens.name}`, run: bares(tokens) },
    ]);
    return judged(figures);
  },
};

type Six = [Figure, Figure, Figure, Figure, Figure, Figure];

function judged(figures: Figure[]) {
  const [calm, searched, signedIn, bareSignedIn, guessed, bareGuessed] = figures as Six;
  const floor = (figure: Figure, other: Figure) =>
    ratioFloor(`creations beside ${figure.side}, p99`, [figure, other], { atMost: 3 });
  return {
    floors: [floor(searched, calm), floor(signedIn, bareSignedIn), floor(guessed, bareGuessed)],
    figures: [...figures, ...figures.slice(1).map((figure) => ratioFigure([figure, calm]))],
  };
}

async function targetOf({ ground }: Bench, ours: Ours): Promise<FloodTarget> {
  const { admin } = systemClient({ ...ours, bankUrl: ground.bankUrl });
  const { body } = await admin('/admin/keys', { body: { name: 'Leitora', role: 'viewer' } });
  return { url: ours.url, adminUrl: ours.adminUrl, key: body.key as string };
}

/** @returns what ours answers to one request of each flood that is refused */
async function refusalsOf(target: FloodTarget): Promise<Record<string, Refusal>> {
  return {
    'POST /panel/sign-in': await refusalOf(signIns, target),
    'GET /api-public/payments': await refusalOf(tokens, target),
  };
}

async function refusalOf(flood: Flood, target: FloodTarget): Promise<Refusal> {
  const answer = await (await flood.open(target))();
  const {
    date: _date,
    connection: _connection,
    'keep-alive': _,
    ...headers
  } = Object.fromEntries(answer.headers);
  return { status: answer.status, headers, body: await answer.text() };
}

async function p99Of({ options }: Bench, generator: Generator, side: { url: string; token: string }) {
  const { connections, seconds } = options;
  const job = { ...creations(side), connections, rate: perSecond, until: { seconds } };
  return (await generator.run(job)).p99Ms;
}

/** @returns what was measured while the flood came again and again */
async function beside(flood: Flood, target: FloodTarget, measure: () => Promise<number>): Promise<number> {
  let isOver = false;
  const flooding = async () => {
    for (; !isOver; await new Promise((resolve) => setTimeout(resolve, pauseMs)))
      await sendAtOnce(flood, target);
  };
  const measured = measure().finally(() => {
    isOver = true;
  });
  const [ms] = await Promise.all([measured, flooding()]);
  return ms;
}
