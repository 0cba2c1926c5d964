import type { Random } from '../random.ts';
import type { Receivers } from '../receivers/receivers.ts';
import type { AttackedSystem } from '../system/system.ts';

export type Scene = { system: AttackedSystem; receivers: Receivers };

/** What is hit: two faults never hit one target at a time. */
export type Target = {
  name: string;
  /** What it is part of: that decides which requests of clients may suffer. */
  kind: 'api' | 'dispatcher' | 'simulator' | 'postgres' | 'nats' | 'receivers' | 'machine';
};

/** A way in which the world is bad for a while. */
export type Fault = {
  name: string;
  /** Seconds, from and to. */
  lasts: readonly [number, number];
  /** Those it could befall; it takes one of them that is free. None: it can't be made here. */
  targets(scene: Scene): (Target & { hit(random: Random): Promise<Undo> })[];
};

/** Makes all as it was; resolves when it is. */
export type Undo = () => Promise<void>;

/** A fault that happened; times are epoch milliseconds, `to` is when all was as before. */
export type Window = { fault: string; target: string; kind: Target['kind']; from: number; to: number };

export const nothing: Undo = async () => {};
