import { query } from '@payments/testing/sessions';
import { ratioFloor } from '../floors.ts';
import { startGenerator } from '../load/generator.ts';
import { creations, type LoadJob, reads } from '../load/job.ts';
import type { Ours } from '../sides/ours.ts';
import { inTurns } from '../statistics.ts';

const options = { rounds: 5, seconds: 5, connections: 50 };
const say = (line: string) => console.log(line);

type Job = Omit<LoadJob, 'connections' | 'until'>;

/**
 * Measures creations and reads by id of a filled database in turns with those of an empty one. The latter reads the
 * payments that it has just created.
 * @param ids of payments of the filled one
 * @returns for each operation, the share of the empty one's rate that the filled one reaches
 */
export async function ratesBeside(
  filled: Ours,
  empty: Ours,
  ids: readonly string[],
): Promise<[what: string, share: string][]> {
  await using generator = startGenerator();
  const rate = async (job: Job) => {
    const { connections, seconds } = options;
    const result = await generator.run({ ...job, connections, until: { seconds } });
    return result.operations / result.seconds;
  };
  const share = async (what: string, [ofFilled, ofEmpty]: [Job, Job]): Promise<[string, string]> => {
    const [one, other] = await inTurns({ options, say }, { what, unit: '/s' }, [
      { side: 'filled', run: () => rate(ofFilled) },
      { side: 'empty', run: () => rate(ofEmpty) },
    ]);
    const { value, low, high } = ratioFloor(what, [one!, other!], { atLeast: 0 });
    return [`${what}, beside empty`, `${value.toFixed(2)} (${low.toFixed(2)} – ${high.toFixed(2)})`];
  };
  const created = await share('creations a second', [creations(filled), creations(empty)]);
  const few = await query<{ id: string }>(empty.databaseUrl, `select id from payments limit ${ids.length}`);
  const paths = [ids.map(toPath), few.map(({ id }) => toPath(id))] as const;
  return [created, await share('reads a second', [reads(filled, paths[0]), reads(empty, paths[1])])];
}

const toPath = (id: string) => `/${id}`;
