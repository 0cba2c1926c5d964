import t from 'tap';
import type { Window } from '../../src/faults/fault.ts';
import { floodFaults } from '../../src/faults/floods.ts';
import type { Failure } from '../../src/observations.ts';
import { availability } from '../../src/promises/availability.ts';
import { caseOf } from '../hand-made.ts';

const second = 1_000;
const says = '{"statusCode":503,"message":"Serviço temporariamente indisponível."}';

const found = (what: string, ...windows: Pick<Window, 'fault' | 'kind'>[]) => {
  const run = caseOf({ status: 'pending', amount: 10 });
  const failure: Failure = { what, from: 20 * second, to: 21 * second, status: 503, says };
  run.observations.failures.push(failure);
  const during = { target: 'one', from: 15 * second, to: 22 * second };
  return availability({ ...run, windows: windows.map((window) => ({ ...window, ...during })) }).length;
};

t.test('an approval may fail while the bank is away: it asks the bank', async (t) => {
  t.equal(found('approve or pay out', { fault: 'psp-hanging', kind: 'simulator' }), 0);
  t.equal(found('approve or pay out', { fault: 'bank-connection-cut', kind: 'api' }), 0);
  t.equal(found('approve or pay out'), 1, 'in calm');
  t.equal(found('approve or pay out', { fault: 'nats-killed', kind: 'nats' }), 1);
});

t.test('nothing else may fail', async (t) => {
  for (const what of ['create', 'read', 'decide', 'refund'])
    t.equal(found(what, { fault: 'psp-hanging', kind: 'simulator' }), 1, what);
  t.equal(
    found('refund', { fault: 'postgres-killed', kind: 'postgres' }),
    0,
    'without a database no request can succeed',
  );
});

t.test('a flood of callers is no excuse', async (t) => {
  for (const { name } of floodFaults) t.equal(found('create', { fault: name, kind: 'callers' }), 1, name);
});
