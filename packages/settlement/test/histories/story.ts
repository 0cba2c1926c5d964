import { bankIds, type Pix, reais } from './bank.ts';
import type { Subject } from './history.ts';
import type { Terms } from './model.ts';
import type { Step, Work } from './plans.ts';
import type { Done } from './take.ts';

type Created = { name: string; id: string; charged: number; terms: Terms; banks: readonly string[] | null };

/** The steps in order, for whoever looks for the error. */
export type Story = {
  /** Shows a payment's creation. */
  creation(creation: Created): void;
  step(step: Step, now: number): void;
  note(text: string): void;
  after(subjects: readonly Subject[]): void;
  text(): string;
};

export function newStory(): Story {
  const lines: string[] = [];
  const shown = new Map<string, string>();
  let startedAt: number | undefined;
  const after = (subjects: readonly Subject[]) => {
    for (const subject of subjects) {
      const state = stateOf(subject);
      if (shown.get(subject.name) !== state) lines.push(state);
      shown.set(subject.name, state);
    }
  };
  return {
    creation: ({ name, id, charged, terms: { percent, fixed, reviewAbove }, banks }) => {
      const review = reviewAbove === null ? '' : `, review from ${reais(reviewAbove)}`;
      const at = banks === null ? '' : `, at ${banks.join(', ')} alone`;
      const fees = `fee ${percent ?? 0} % + ${reais(fixed ?? 0)}`;
      lines.push(`payment ${name} (${id}) of ${reais(charged)}; ${fees}${review}${at}`);
    },
    step: (step, now) => {
      startedAt ??= now;
      lines.push(`${clock(now - startedAt)}  ${tell(step)}`);
    },
    note: (text) => lines.push(`          ${text}`),
    after,
    text: () => lines.join('\n'),
  };
}

function clock(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

const nameOf = (of: number) => 'ABC'[of];

function tell(step: Step): string {
  switch (step.kind) {
    case 'pay':
      return `a customer pays ${step.leftover ? 'a leftover of ' : ''}${nameOf(step.of)}, ${step.amount}`;
    case 'med':
      return `the bank takes back ${step.share} % of Pix ${step.pix + 1} of ${nameOf(step.of)}${step.slow ? ', slowly' : ''}${step.refused ? ', in vain' : ''}`;
    case 'pass':
      return `${step.seconds} s pass`;
    case 'skew':
      return `the banks' clocks are ${step.seconds} s ahead`;
    case 'faults':
      return `the faults of bank ${bankIds[step.bank]}: ${JSON.stringify(step.faults)}`;
    case 'banks':
      return `configured: ${step.configured.map((bank) => bankIds[bank]).join(', ')}`;
    case 'together':
      return `at once: ${step.works.map(tellWork).join(' / ')}`;
    default:
      return `${tellWork(step)}${step.crash ? `, killed at ${step.crash.at} ${step.crash.n}` : ''}`;
  }
}

function tellWork(work: Work): string {
  if (work.kind === 'scan')
    return `the scan ${work.scan} at ${bankIds[work.bank]}${work.ahead ? `, by a clock ${work.ahead} s ahead` : ''}`;
  if (work.kind === 'look') return `a person compares today with ${bankIds[work.bank]}`;
  if (work.kind === 'refundLost') return `a person refunds Pix ${work.pix + 1} of C`;
  const name = nameOf(work.of);
  if (work.kind === 'tell') return `a callback of ${bankIds[work.bank]} tells of ${name}${howTold(work)}`;
  if (work.kind === 'decide') return `a person moves ${name} to ${work.to}`;
  if (work.kind === 'anew') return `a person orders a refused refund of ${name} anew`;
  const key = work.key ? ` under key ${work.key}` : '';
  return `a person refunds ${work.share === 100 ? 'the rest' : `${work.share} %`} of ${name}${key}`;
}

function howTold({ old, turned, twice, odd }: Work & { kind: 'tell' }): string {
  const how = [
    old > 0 && `as ${old} changes ago`,
    turned && 'turned',
    twice && 'twice',
    odd && `with odd ${odd}`,
  ];
  return how.flatMap((one) => (one ? [`, ${one}`] : [])).join('');
}

function stateOf({ name, pix, said }: Subject): string {
  const { status, amount, fee, open } = said;
  const waiting = open.map(
    ({ at, amount }) => `${reais(amount)} ${at === null ? 'owed' : 'to be ordered anew'}`,
  );
  const more = [...waiting, ...said.problems.map((problem) => `problem: ${problem}`)].join(', ');
  const service = `${status} ${reais(amount)}${fee === null ? '' : ` fee ${reais(fee)}`}`;
  return `          ${name}: bank ${pixText(pix)} | service ${service} at ${said.bank ?? 'no bank'}, ${pixText(said.pix)}${more && `, ${more}`}`;
}

function pixText(pix: readonly (Pix & { counts?: boolean })[]): string {
  const one = ({ bank, amount, paidAt, returns, counts }: Pix & { counts?: boolean }) => {
    const back = returns.map(
      ({ id, by, state, amount }) => `${by === 'bank' ? 'MED' : id.slice(0, 4)} ${reais(amount)} ${state}`,
    );
    const time = new Date(paidAt).toISOString().slice(11, 19);
    return `${reais(amount)}${counts === false ? ' (second)' : ''} at ${bank} ${time}${back.length > 0 ? ` [${back.join(', ')}]` : ''}`;
  };
  return pix.length === 0 ? 'no Pix' : pix.map(one).join(' and ');
}

/** The number of each event in the histories, which shows what was tested. */
export type Tally = {
  step(done: readonly Done[]): void;
  end(subjects: readonly Subject[]): void;
  lines(): string[];
};

export function newTally(): Tally {
  const counts = new Map<string, number>();
  const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1);
  return {
    step: (done) => {
      for (const { operation, outcome } of done) {
        const detail =
          operation.do === 'scan' ? operation.scan : operation.do === 'decide' ? operation.to : '';
        count(`${operation.do} ${detail} ${outcome.end}`);
      }
    },
    end: (subjects) => {
      for (const { model, charges, pix: all, said } of subjects) {
        count(`history ${model.told.map(({ status }) => status).join(' → ')}`);
        const returns = all.flatMap((pix) => pix.returns);
        for (const { by, state } of returns) count(`return by ${by} ${state}`);
        if (all.length > 1) count('payment with more than one Pix');
        count(`payment at ${said.bank ?? 'no bank'}`);
        if (charges.filter(({ code }) => code !== '').length > 1) count('charge at two banks');
        if (all.some(({ bank }) => bank !== said.bank)) count('Pix on a leftover');
      }
    },
    lines: () =>
      [...counts].sort(([a], [b]) => a.localeCompare(b)).map(([what, times]) => `${times} × ${what}`),
  };
}
