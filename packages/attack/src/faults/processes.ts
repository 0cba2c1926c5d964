import type { Replica } from '@payments/testing/replica';
import type { Fault, Scene, Target, Undo } from './fault.ts';

type Kind = 'api' | 'dispatcher' | 'simulator';

const replicasOf: Record<Kind, (scene: Scene) => Replica[]> = {
  api: ({ system }) => system.apis,
  dispatcher: ({ system }) => system.dispatchers,
  simulator: ({ system }) => system.banks,
};

const onProcess = (
  name: string,
  kind: Kind,
  lasts: Fault['lasts'],
  hit: (replica: Replica) => Promise<Undo>,
): Fault => ({
  name,
  lasts,
  targets: (scene) =>
    replicasOf[kind](scene).map((replica): Target & { hit(): Promise<Undo> } => ({
      name: replica.name,
      kind,
      hit: () => hit(replica),
    })),
});

/** Sends SIGKILL; an orchestrator restarts the process a little later. */
export const killed = async (replica: Replica): Promise<Undo> => {
  await replica.kill();
  return () => replica.start();
};

/** Sends SIGTERM and starts the process again, like a rolling restart. */
const restarted = async (replica: Replica): Promise<Undo> => {
  await replica.terminate();
  return () => replica.start();
};

/** Sends SIGSTOP: the process does nothing, as on a host that swaps or migrates. */
export const frozen = async (replica: Replica): Promise<Undo> => {
  replica.freeze();
  return async () => replica.thaw();
};

export const processFaults: Fault[] = [
  onProcess('api-killed', 'api', [0.2, 3], killed),
  onProcess('dispatcher-killed', 'dispatcher', [0.2, 3], killed),
  onProcess('psp-killed', 'simulator', [0.2, 3], killed),
  onProcess('api-restarted', 'api', [0, 1], restarted),
  onProcess('dispatcher-restarted', 'dispatcher', [0, 1], restarted),
  onProcess('api-frozen', 'api', [1, 8], frozen),
  // Longer than a lease, so that another dispatcher takes over its claims.
  onProcess('dispatcher-frozen', 'dispatcher', [13, 18], frozen),
  onProcess('psp-frozen', 'simulator', [1, 8], frozen),
];
