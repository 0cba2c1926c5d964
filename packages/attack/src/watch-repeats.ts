import { pause, type World } from './load/world.ts';
import type { DeliveryShown } from './verdict/evidence.ts';

const everyMs = 300;

/**
 * Watches repeated deliveries. It records the attempts of each one when the service first shows it as delivered. More
 * attempts at the end mean that it was attempted after it had ended.
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
  // Back to the end of the queue: others are watched meanwhile.
  watched.delete(id);
  if (answer.status !== 200 || answer.body.state === 'pending') watched.add(id);
  else if (answer.body.state === 'delivered')
    world.observations.seenDelivered.set(id, answer.body.attempts.length);
}
