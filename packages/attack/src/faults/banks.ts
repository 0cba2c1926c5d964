import { call } from '@payments/testing/http';
import { adminKey } from '@payments/testing/service-settings';
import { isTestBank } from '../system/banks.ts';
import type { AttackedSystem } from '../system/system.ts';
import type { Fault, Undo } from './fault.ts';
import { misbehave } from './psp.ts';

type AttackedBank = AttackedSystem['banks'][number];

/** The banks that may be hit. */
type Where = (system: AttackedSystem) => readonly AttackedBank[];

const anyBank: Where = ({ banks }) => banks;
/** While they are well, they get all new charges, real and test ones: at another one nothing of this would show. */
const preferred: Where = ({ banks }) => banks.filter(({ id }, index) => index === 0 || isTestBank(id));

const onBank = (
  name: string,
  lasts: Fault['lasts'],
  hit: (system: AttackedSystem, bank: AttackedBank) => Promise<Undo>,
  where: Where = anyBank,
): Fault => ({
  name: `bank-${name}`,
  lasts,
  targets: ({ system }) =>
    where(system).map((bank) => ({ name: bank.id, kind: 'simulator', hit: () => hit(system, bank) })),
});

const creating =
  (faults: Record<string, unknown>) =>
  (_system: AttackedSystem, { url }: AttackedBank) =>
    misbehave(url, faults);

/** The bank is taken out of every process's file, and put back. */
const removed = async (system: AttackedSystem, { id }: AttackedBank): Promise<Undo> => {
  system.configure(id, false);
  return async () => system.configure(id, true);
};

/** The bank's tokens die twice within seconds, as where it restarts, or keeps one token for each client. */
const deadTokens = async (_system: AttackedSystem, { url }: AttackedBank): Promise<Undo> => {
  const forget = () => call(`${url}/bank/tokens`, { method: 'DELETE' }).then(() => {});
  await forget();
  return forget;
};

/** An administrator pauses the bank, and resumes it. */
const paused = async ({ adminUrl }: AttackedSystem, { id }: AttackedBank): Promise<Undo> => {
  const order = (what: 'pause' | 'resume') =>
    call(`${adminUrl}/admin/banks/${id}/${what}`, { token: adminKey, body: { reason: 'the attack' } });
  await order('pause').catch(() => {});
  return async () => {
    while ((await order('resume').catch(() => ({ status: 0 }))).status >= 300);
  };
};

/** A bank fails at new charges for so long that the other one gets them; what it has taken goes on. */
export const bankFaults: Fault[] = [
  onBank('hangs', [6, 12], creating({ hang: true, only: ['putCob'] }), preferred),
  onBank('refuses', [6, 12], creating({ status: 503, only: ['putCob'] }), preferred),
  onBank('breaks', [6, 12], creating({ cutChargeAnswers: true }), preferred),
  onBank('loses-answers', [6, 12], creating({ loseChargeAnswers: true }), preferred),
  onBank('forgets-tokens', [4, 8], deadTokens),
  onBank('removed', [5, 10], removed),
  onBank('paused', [5, 10], paused),
];
