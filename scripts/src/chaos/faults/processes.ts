import type { Member } from '../system/member.ts';
import type { Fault, Scene, Target, Undo } from './fault.ts';

type Kind = 'api' | 'dispatcher' | 'simulator';

const membersOf: Record<Kind, (scene: Scene) => Member[]> = {
  api: ({ system }) => system.apis,
  dispatcher: ({ system }) => system.dispatchers,
  simulator: ({ system }) => [system.bank],
};

const onProcess = (
  name: string,
  kind: Kind,
  lasts: Fault['lasts'],
  hit: (member: Member) => Promise<Undo>,
): Fault => ({
  name,
  lasts,
  targets: (scene) =>
    membersOf[kind](scene).map((member): Target & { hit(): Promise<Undo> } => ({
      name: member.name,
      kind,
      hit: () => hit(member),
    })),
});

/** SIGKILL at any moment; an orchestrator starts it again a little later. */
const killed = async (member: Member): Promise<Undo> => {
  await member.kill();
  return () => member.start();
};

/** SIGTERM and a new start, as a rolling restart does it. */
const restarted = async (member: Member): Promise<Undo> => {
  await member.terminate();
  return () => member.start();
};

/** SIGSTOP: a process that is still there and does nothing, as on a host that swaps or migrates. */
const frozen = async (member: Member): Promise<Undo> => {
  member.freeze();
  return async () => member.thaw();
};

export const processFaults: Fault[] = [
  onProcess('api-killed', 'api', [0.2, 3], killed),
  onProcess('dispatcher-killed', 'dispatcher', [0.2, 3], killed),
  onProcess('psp-killed', 'simulator', [0.2, 3], killed),
  onProcess('api-restarted', 'api', [0, 1], restarted),
  onProcess('dispatcher-restarted', 'dispatcher', [0, 1], restarted),
  onProcess('api-frozen', 'api', [1, 8], frozen),
  // Longer than a lease, so that another one takes over what it had in flight.
  onProcess('dispatcher-frozen', 'dispatcher', [13, 18], frozen),
  onProcess('psp-frozen', 'simulator', [1, 8], frozen),
];
