import { findUntoldBanks, findUntoldEndpoints, markTold } from '@payments/database/notices/conditions';
import { writeNotices } from '@payments/database/notices/notices';
import { dayOf } from '@payments/domain/days';
import type { Notice } from '@payments/notices/kinds';
import type { Banks } from '@payments/pix/banks';
import type { ServiceContext } from '@payments/startup/foundation';

/**
 * Conditions that a scan sees, since no commit is their cause: an endpoint or a bank fails, a certificate ends. So they
 * cost deliveries and charges nothing, and one that is over before a look is nobody's business.
 */

const endpointsAtOnce = 500;
const warnedBeforeMs = 30 * 24 * 60 * 60_000;

type Context = Pick<ServiceContext, 'db' | 'banks' | 'now'>;

/** @returns a turn that writes what is new, and whether there may be more. What this process told is not asked for again */
export function watchConditions({ db, banks, now }: Context): () => Promise<boolean> {
  const told = new Set<string>();
  return async () => {
    const failing = await findUntoldBanks(db, now());
    const ending = endingCertificates(banks, now()).filter(({ key }) => !told.has(key));
    const ofBanks = await writeNotices(db, [...failing.map(ofBank), ...ending]);
    for (const { key } of ending) told.add(key);
    // Endpoints come last: their number depends on the stores, and a look that fails holds up nothing else.
    const endpoints = await findUntoldEndpoints(db, endpointsAtOnce);
    const ofEndpoints = await writeNotices(db, endpoints.map(ofEndpoint));
    await markTold(db, endpoints);
    return ofBanks + ofEndpoints > 0;
  };
}

type Endpoint = Awaited<ReturnType<typeof findUntoldEndpoints>>[number];

function ofEndpoint({ id: endpointId, storeId, url, failures, key, since: occurredAt }: Endpoint): Notice {
  const host = URL.parse(url)?.host ?? '';
  return { kind: 'endpoint_failing', key, storeId, occurredAt, facts: { endpointId, host, failures } };
}

type Bank = Awaited<ReturnType<typeof findUntoldBanks>>[number];

function ofBank({ id: bank, key, since: occurredAt }: Bank): Notice {
  return { kind: 'bank_failing', key, storeId: null, occurredAt, facts: { bank } };
}

/** @returns the banks whose certificate ends within thirty days; a renewed one is another certificate */
export function endingCertificates(banks: Pick<Banks, 'all'>, now: Date): Notice[] {
  return banks.all().flatMap(({ id: bank, client }): Notice[] => {
    const end = client.certificateEnd();
    if (end === null || end.getTime() - now.getTime() > warnedBeforeMs) return [];
    const key = `${bank} ${end.toISOString()}`;
    const facts = { bank, date: dayOf(end) };
    return [{ kind: 'certificate_expires', key, storeId: null, occurredAt: now, facts }];
  });
}
