import { type Listener, openApiDocument } from '@payments/testing/openapi/document';
import { answerFailures } from '@payments/testing/openapi/judge';
import { startBanks } from '@payments/testing/several-banks';
import { startSystem } from '@payments/testing/system';
import fc from 'fast-check';
import t from 'tap';
import {
  type DocumentedOperation,
  type GeneratedRequest,
  type Known,
  operationsOf,
  requestsOf,
} from './generated/requests.ts';
import { send } from './generated/send.ts';

/**
 * Valid and invalid requests, generated from the OpenAPI documents. No response is a 5xx or undocumented.
 * No valid request is a 400, and no invalid one succeeds. `FUZZ_SEED` makes other requests, `FUZZ_RUNS` more of them.
 */
const banks = await startBanks([{ id: 'test' }]);
const system = await startSystem({
  dispatcher: false,
  env: { RATE_LIMIT_PER_MINUTE: '0', TEST_BANK_FILE: banks.write() },
});
t.teardown(async () => {
  await system.stop();
  await banks.close();
});
// Some thousand requests take long on a busy machine.
t.setTimeout(300_000);
const tokenMay = ['refund', 'cancel'];
const store = await system.createStore({ feePercent: 1, maxAmount: 1_000_000, tokenMay });
const spare = await system.createStore();
const { body: payment } = await system.api('/api-public/payments', {
  token: store.token,
  body: { amount: 10 },
});
const tester = await system.createStore({ test: true });
const { body: testPayment } = await system.api('/api-public/payments', {
  token: tester.token,
  body: { amount: 10 },
});
const { body: tokens } = await system.admin(`/admin/stores/${spare.id}/tokens`);

const seed = Number(process.env.FUZZ_SEED ?? 20_261_121);
const times = Number(process.env.FUZZ_RUNS ?? 1);
// Weights in eighths: the stores' API matters most, and a PNG is expensive.
const runs = { payments: 32, other: 6, image: 3 };
const atOnce = 8;

const listeners: Record<Listener, { base: string; known: Known }> = {
  public: { base: system.url, known: { token: store.token, ids: [payment.id] } },
  admin: {
    base: system.adminUrl,
    // Rotated or deactivated tokens must not lock out the public requests.
    known: { token: system.env.ADMIN_KEY ?? '', ids: [spare.id, payment.id, tokens.items[0].id] },
  },
};

/** Only a test store has its operation. */
const knownToTests: Known = { token: tester.token, ids: [testPayment.id] };

for (const listener of ['public', 'admin'] as const) {
  const { base, known: usual } = listeners[listener];
  const document = openApiDocument(listener);
  for (const documented of operationsOf(document)) {
    const known = documented.operation.operationId === 'doAtTestBank' ? knownToTests : usual;
    t.test(`${listener}: ${documented.operation.operationId}`, async (t) => {
      const statuses = new Map<number, number>();
      const tried = async (request: GeneratedRequest) => {
        const { status, headers, body } = await send(base, request);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const { method, path } = request;
        const failures = answerFailures({ listener, method, path, status, headers, body });
        if (status >= 500) failures.push(`answered ${status}`);
        if (listener === 'public') failures.push(...contradictions(documented, request, status, body));
        if (failures.length > 0) throw new Error(failures.join('\n'));
      };
      const requests = fc.array(requestsOf(document, documented, known), {
        minLength: atOnce,
        maxLength: atOnce,
      });
      const property = fc.asyncProperty(
        requests,
        async (batch) => void (await Promise.all(batch.map(tried))),
      );
      await fc.assert(property, { seed, numRuns: times * runsOf(documented.path) });
      t.comment(
        [...statuses]
          .sort()
          .map(([status, count]) => `${count} × ${status}`)
          .join(', '),
      );
      // No payment here is paid: `public/refunds/order.test.ts` shows the refunds that are made.
      if (listener === 'public' && documented.operation.operationId !== 'refundPayment')
        t.ok(
          [...statuses.keys()].some((status) => status < 300),
          'some are answered with success',
        );
    });
  }
}

function runsOf(path: string): number {
  if (path.startsWith('/qr')) return runs.image;
  return path.startsWith('/api-public') ? runs.payments : runs.other;
}

/** Expects no 400 for a valid request, and no success for an invalid one. */
function contradictions(
  { operation, pointer }: DocumentedOperation,
  request: GeneratedRequest,
  status: number,
  body: string,
): string[] {
  const refused =
    request.isValid && ![200, 202, 404, 409, 422].includes(status) && !isTooExact(request, body);
  if (refused) return [`refused what the document allows: ${status} ${body}`];
  if (status >= 300 || !operation.requestBody) return [];
  const schema = `${pointer}/requestBody/content/application~1json/schema`;
  return openApiDocument('public')
    .failures(schema, JSON.parse(request.body ?? 'null'))
    .filter((failure) => !failure.includes('unevaluated'))
    .map((failure) => `accepted what the document does not allow:${failure}`);
}

/** A schema can't express every rule for a URL or an e-mail, nor which cursors the service has given. */
function isTooExact({ path }: GeneratedRequest, body: string): boolean {
  return (
    /webhookUrl must be a URL|email must be an email/.test(body) ||
    /^\/api-public\/events\?(.*&)?after=/.test(path)
  );
}
