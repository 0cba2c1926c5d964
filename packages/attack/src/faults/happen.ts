import { setTimeout as delay } from 'node:timers/promises';
import type { Planned } from './all.ts';
import type { Scene, Window } from './fault.ts';

export type Happening = {
  /** Every fault so far; a current one ends in the future. */
  windows: Window[];
  underWay(): string[];
  /** Resolves when the last fault has ended. */
  done: Promise<void>;
};

/** The most targets of a kind that are hit at a time: the others keep serving. */
const atMost: Partial<Record<Window['kind'], number>> = { api: 1, dispatcher: 2, simulator: 2 };
const whenBusyMs = 200;

/**
 * Starts faults as planned. A fault without a free target waits for one.
 * @param spared targets that no fault hits, by name
 */
export function letHappen(
  scene: Scene,
  planned: readonly Planned[],
  isOver: () => boolean,
  spared: readonly string[] = [],
): Happening {
  const windows: Window[] = [];
  const hit = new Map<string, Window['kind']>();
  const free = ({ name, kind }: { name: string; kind: Window['kind'] }) => {
    const others = [...hit].filter(([, one]) => one === kind);
    // A process and its links count as one target.
    const same = others.some(([other]) => other.split(' to ')[0] === name.split(' to ')[0]);
    return !same && others.length < (atMost[kind] ?? 1);
  };

  const happen = async ({ fault, atMs, lastsMs, random }: Planned, begin: number): Promise<void> => {
    await delay(Math.max(0, begin + atMs - Date.now()));
    const all = fault.targets(scene).filter(({ name }) => !spared.includes(name));
    let target = random.shuffle(all).find(free);
    while (!target && all.length > 0 && !isOver()) {
      await delay(whenBusyMs);
      target = random.shuffle(all).find(free);
    }
    if (!target || isOver()) return;
    const { name, kind } = target;
    hit.set(name, kind);
    const window: Window = {
      fault: fault.name,
      target: name,
      kind,
      from: Date.now(),
      to: Number.POSITIVE_INFINITY,
    };
    windows.push(window);
    const undo = await target.hit(random);
    await delay(lastsMs);
    await undo();
    window.to = Date.now();
    await target.afterwards?.();
    hit.delete(name);
  };
  const begin = Date.now();
  const done = Promise.all(planned.map((one) => happen(one, begin))).then(() => {});
  done.catch(() => {});
  return {
    windows,
    underWay: () =>
      windows.filter(({ to }) => to > Date.now()).map(({ fault, target }) => `${fault} (${target})`),
    done,
  };
}
