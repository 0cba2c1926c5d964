import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Faults } from '@payments/pix-simulator/faults';
import t from 'tap';
import { type Bank, type Change, certificatesIn, openBank, payAt, run } from './newcomer.ts';

/** However the check ends, nobody can pay its charge afterwards, and a Pix that came was given back. */
// Each test has a bank of its own, and mostly waits for the pauses between two tries.
t.jobs = 4;
const certificates = await certificatesIn(t);
const main = join(import.meta.dirname, '../src/main.ts');

type Left = { charges: string[]; refunds: string[][] };

function leftAt({ app }: Bank): Left {
  const { charges, pix } = app.bank.ledger;
  return {
    charges: [...charges.values()].map(({ status }) => status),
    refunds: [...pix.values()].map(({ refunds }) => refunds.map(({ status }) => status)),
  };
}

const removed: Left = { charges: ['REMOVIDA_PELO_USUARIO_RECEBEDOR'], refunds: [] };
const givenBack: Left = { charges: ['CONCLUIDA'], refunds: [['DEVOLVIDO']] };
const nobodyPays = () => {};

type Case = {
  change: Change;
  /** From the start, or when the code is shown. */
  faults?: Partial<Faults>;
  faultsAtCode?: Partial<Faults>;
  failed?: string;
  left: Left;
};
const cases: Record<string, Case> = {
  'reads fail while the Pix is awaited': {
    change: { pay: true, payWithinMs: 15_000 },
    faultsAtCode: { status: 503, only: ['getCob'], times: 3 },
    left: givenBack,
  },
  'nobody pays, and the first removals fail': {
    change: { pay: true, payWithinMs: 100, onCode: nobodyPays },
    faults: { status: 503, only: ['patchCob'], times: 2 },
    failed: 'paid',
    left: removed,
  },
  'no read works until the wait is over': {
    change: { pay: true, payWithinMs: 100, onCode: nobodyPays },
    faultsAtCode: { status: 503, only: ['getCob'], times: 4 },
    failed: 'paid',
    left: removed,
  },
  'the charge is registered, but its answers get lost': {
    change: { pay: true },
    faults: { loseChargeAnswers: true },
    failed: 'charge registered',
    left: removed,
  },
  'a step in between fails, and nobody pays': {
    change: { pay: true, payWithinMs: 100, onCode: nobodyPays },
    faults: { status: 503, only: ['listPix'] },
    failed: 'lists',
    left: removed,
  },
  'without --pay, the first removals fail': {
    change: {},
    faults: { status: 503, only: ['patchCob'], times: 2 },
    left: removed,
  },
  'the first refunds fail': {
    change: { pay: true },
    faults: { status: 503, only: ['putDevolucao'], times: 2 },
    left: givenBack,
  },
  'the refund is made, but its answer gets lost': {
    change: { pay: true },
    faults: { loseRefundAnswers: true },
    left: givenBack,
  },
};

for (const [name, { change, faults, faultsAtCode, failed, left }] of Object.entries(cases))
  t.test(name, { buffered: true }, async (t) => {
    const bank = await openBank(t, 'bacen', certificates);
    Object.assign(bank.app.bank.faults, faults);
    const { onCode = (code: string) => payAt(bank.app, code) } = change;
    const shown = (code: string) => {
      Object.assign(bank.app.bank.faults, faultsAtCode);
      return onCode(code);
    };
    const { lines, ...ended } = await run(bank, { ...change, onCode: shown });
    t.same(ended, { works: failed === undefined, failed }, lines.join('\n'));
    t.same(leftAt(bank), left, lines.join('\n'));
    t.same(bank.app.bank.conformity.violations, []);
  });

t.test('a Pix that comes while the charge is being removed is given back', { buffered: true }, async (t) => {
  const bank = await openBank(t, 'bacen', certificates);
  let code = '';
  const { lines } = await run(bank, {
    pay: true,
    payWithinMs: 100,
    onCode: (shown) => {
      code = shown;
      bank.app.bank.faults.status = 503;
      bank.app.bank.faults.only = ['patchCob'];
      bank.app.bank.faults.times = 1;
      bank.app.server.on('request', ({ method }) => {
        if (method === 'PATCH') void payAt(bank.app, code);
      });
    },
  });
  t.same(leftAt(bank), givenBack, lines.join('\n'));
  t.match(lines.join('\n'), /✓ charge removed: it was paid/);
});

async function endedBy(signal: NodeJS.Signals, bank: Bank, args: string[], at: RegExp) {
  const child = spawn(process.execPath, ['--conditions=public-payments', main, ...args], {
    env: { PATH: process.env.PATH, ...bank.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line);
    // npm passes on what the terminal has sent already.
    if (at.test(line)) for (const _ of ['terminal', 'npm']) child.kill(signal);
  });
  const [code] = await once(child, 'close');
  return { code, lines };
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  for (const [args, at] of [[['--pay'], /^ {2}000201/] as const, [[], /charge registered/] as const])
    t.test(`${signal} at ${at}`, { buffered: true }, async (t) => {
      const bank = await openBank(t, 'bacen', certificates);
      // The signal arrives while the charge is read.
      Object.assign(bank.app.bank.faults, { latencyMs: 500, only: ['getCob'] });
      const { code, lines } = await endedBy(signal, bank, [...args], at);
      t.equal(code, 1);
      t.match(lines.join('\n'), /what follows was not tried\n✓ charge removed: REMOVIDA/);
      t.same(leftAt(bank), removed);
    });
