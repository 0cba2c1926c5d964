import type { Figure, Floor } from './floors.ts';
import type { Ground } from './ground.ts';
import type { BenchOptions } from './options.ts';

export type Bench = { options: BenchOptions; ground: Ground; say: (line: string) => void };

export type Result = { floors: Floor[]; figures: Figure[] };

export type Scenario = { name: string; title: string; run(bench: Bench): Promise<Result> };
