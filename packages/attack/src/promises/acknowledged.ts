import type { Breach, SeenPayment } from '../observations.ts';
import type { PaymentEvidence } from '../verdict/evidence.ts';
import { breachOf, type Case, type Check } from './promise.ts';

const kept = ['id', 'storeId', 'createdAt', 'observation', 'email', 'isPublic'] as const;

/** Promise 1: a payment whose creation got a 200 exists, once, as in that response. */
export const acknowledged: Check = (run) => [...payments(run), ...lists(run)];

function payments({ observations, evidence }: Case): Breach[] {
  const found = new Map(evidence.payments.map((payment) => [payment.id, payment]));
  return [...observations.payments.values()].flatMap((seen) => {
    const wrong = whatIsWrong(seen, found.get(seen.id));
    return wrong ? [breachOf(1, seen.id, wrong)] : [];
  });
}

function whatIsWrong({ body, request }: SeenPayment, found: PaymentEvidence | undefined): string | undefined {
  if (found?.read.status !== 200)
    return `answered with 200, and in the end a read was answered ${found?.read.status}`;
  const read = found.read.body;
  const changed = kept.filter((field) => read[field] !== body[field]);
  if (changed.length > 0) return `its ${changed.join(', ')} changed`;
  if (read.webhookUrl !== (request.webhookUrl ?? null)) return `its webhookUrl is ${read.webhookUrl}`;
  const { charged } = found.detail;
  if (body.amount !== request.amount || charged !== request.amount)
    return `${request.amount} was asked for, ${body.amount} answered, and ${charged} charged`;
  return undefined;
}

function lists({ observations, evidence }: Case): Breach[] {
  return observations.stores.flatMap((store) => {
    const listed = evidence.lists.get(store.id) ?? [];
    const ids = new Set(listed.map(({ id }) => id));
    const missing = store.payments.filter(({ id }) => !ids.has(id));
    const unanswered = new Set(observations.unanswered.map(({ observation }) => observation));
    const unknown = listed.filter(
      ({ id, observation }) => !observations.payments.has(id) && !unanswered.has(observation ?? ''),
    );
    const asked = listed.map(({ observation }) => observation);
    const twice = listed.filter(({ observation }, index) => asked.indexOf(observation) !== index);
    return [
      ...missing.map(({ id }) => breachOf(1, id, `the list of ${store.name} lacks it`)),
      ...unknown.map(({ id }) => breachOf(1, id, `${store.name} has a payment that nobody asked for`)),
      ...twice.map(({ id }) => breachOf(1, id, 'one request made two payments')),
    ];
  });
}
