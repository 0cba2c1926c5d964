import type { BenchOptions } from './arguments.ts';
import type { Ground } from './ground.ts';
import type { ScenarioResult } from './results.ts';

export type BenchContext = { options: BenchOptions; ground: Ground; say: (line: string) => void };

export type Scenario = {
  name: string;
  title: string;
  run(context: BenchContext): Promise<Omit<ScenarioResult, 'name' | 'title'>>;
};
