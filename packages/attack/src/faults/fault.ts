import type { Random } from '../random.ts';
import type { Receivers } from '../receivers/receivers.ts';
import type { AttackedSystem } from '../system/system.ts';

export type Scene = { system: AttackedSystem; receivers: Receivers };

/** The target of a fault. Two faults never hit one target at a time. */
export type Target = {
  name: string;
  /** Its part of the system, which decides which client requests may suffer. */
  kind:
    | 'api'
    | 'dispatcher'
    | 'simulator'
    | 'postgres'
    | 'nats'
    | 'receivers'
    | 'mail'
    | 'callers'
    | 'machine';
};

/** A temporary disturbance. */
export type Fault = {
  name: string;
  /** Duration in seconds, from and to. */
  lasts: readonly [number, number];
  /** The possible targets; the fault picks a free one. None: this machine can't make the fault. */
  targets(scene: Scene): (Target & Effect)[];
};

type Effect = {
  hit(random: Random): Promise<Undo>;
  /** The work left, while all serve again, before another fault may hit the target. */
  afterwards?(): Promise<void>;
};

/** Ends the fault; resolves when everything is as before. */
export type Undo = () => Promise<void>;

/** A fault that happened; times are epoch milliseconds, `to` is when everything was as before. */
export type Window = { fault: string; target: string; kind: Target['kind']; from: number; to: number };

export const nothing: Undo = async () => {};
