import { pause, type World } from './load/world.ts';
import type { DeliveryShown } from './verdict/evidence.ts';

const everyMs = 300;

/**
 * Watches deliveries that came a second time: as soon as the ledger shows one as delivered, it is noted after how many
 * attempts. Should there be more in the end, it was taken up again after it had ended.
 */
export async function watchRepeats(world: World): Promise<void> {
  const { observations } = world;
  const times = new Map<string, number>();
  const watched = new Set<string>();
  for (let read = 0; !world.isOver(); await pause(everyMs)) {
    for (; read < observations.visits.length; read += 1) {
      const { deliveryId } = observations.visits[read]!;
      times.set(deliveryId, (times.get(deliveryId) ?? 0) + 1);
      if (times.get(deliveryId)! > 1) watched.add(deliveryId);
    }
    await Promise.all([...watched].slice(0, 10).map((id) => look(world, id, watched)));
  }
}

async function look(world: World, id: string, watched: Set<string>): Promise<void> {
  const answer = await world.admin<DeliveryShown>('look', `/admin/deliveries/${id}`);
  // To the end of the line: others are watched meanwhile.
  watched.delete(id);
  if (answer.status !== 200 || answer.body.state === 'pending') watched.add(id);
  else if (answer.body.state === 'delivered')
    world.observations.seenDelivered.set(id, answer.body.attempts.length);
}
