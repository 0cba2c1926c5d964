import t from 'tap';
import type { Window } from '../../src/faults/fault.ts';
import type { SeenMail } from '../../src/mail/mail.ts';
import { toldPeople, untoldAtEnd } from '../../src/promises/told-people.ts';
import { caseOf, type HandMade, pixOf, refundOf } from '../hand-made.ts';

const createdAt = Date.parse('2026-11-23T12:00:00Z');
const atSecond = (second: number) => createdAt + second * 1_000;
const [owner, operator] = ['olga@example.com', 'otto@example.com'];

const owing: HandMade = {
  status: 'not_approved',
  amount: 10,
  refunds: [refundOf('r1', 10, { state: 'failed', owedAmount: 10 })],
};
const returned: HandMade = { status: 'approved', amount: 5, refunds: [refundOf('MED1', 5)] };
/** In review from second 2 until `end`. */
const reviewed = (end: number): HandMade => ({
  status: 'approved',
  amount: 10,
  events: [
    ['review', 'psp', 2],
    ['approved', 'administrator', end],
  ],
});
const paymentId = '01900000-0000-7000-8000-000000000001';

const mail = (to: string, subject: string, text: string, more: Partial<SeenMail> = {}): SeenMail => ({
  id: `<${to} ${subject}>`,
  to,
  subject,
  text,
  at: atSecond(5),
  ...more,
});
const post = (kind: string, body: object) => mail('webhook', kind, JSON.stringify(body));

const findings = (made: HandMade, mails: SeenMail[], windows: Window[] = []) => {
  const run = caseOf(made);
  run.observations.mails = mails;
  return toldPeople({ ...run, windows }).map(({ says }) => says);
};

t.test('a refund that is owed is told to both, and to the webhook', async (t) => {
  const posted = post('refund_owed', { refundId: 'r1' });
  const subject = 'O banco recusou uma devolução de R$ 10,00';
  const [one, two] = [owner, operator].map((to) => mail(to, subject, 'Pix E1'));
  t.same(findings(owing, [posted, one!, two!]), []);
  t.match(findings(owing, []), [
    /^webhook, olga@example.com, otto@example.com heard nothing of refund_owed r1$/,
  ]);
  t.match(findings(owing, [posted, one!]), [/^otto@example.com heard nothing/]);
  t.match(findings(owing, [posted, one!, mail(operator, subject, 'Pix E2')]), [/^otto/], 'another one');
  t.match(
    findings(owing, [posted, one!, mail(operator, 'O banco iniciou a devolução', 'Pix E1')]),
    [/^otto/],
    'another kind',
  );
  const run = caseOf(owing);
  t.equal(untoldAtEnd([posted, one!], run.evidence).length, 1);
});

t.test('a mail names twenty, and says that there are more', async (t) => {
  const posted = post('refund_owed', { count: 21, notices: [{ refundId: 'r0' }] });
  const subject = 'O banco recusou 21 devoluções';
  const [one, two] = [owner, operator].map((to) => mail(to, subject, 'Pix E0\n… e mais 20.'));
  t.same(findings(owing, [posted, one!, two!]), []);
});

t.test('a return that the bank began is told to the owner, and to the webhook', async (t) => {
  const told = mail(owner, 'O banco iniciou 2 devoluções (MED)', 'Pix E1\nPix E2');
  const posted = post('returned_by_bank', {
    notices: [{ refundId: 'MED1' }, { refundId: 'MED2' }],
    count: 2,
  });
  t.same(findings(returned, [told, posted]), []);
  const more = mail(owner, '21 devoluções iniciadas no banco', 'Pix E1\n… e mais 20.');
  t.same(findings(returned, [more, posted]), [], 'of more than it names, not all may be MEDs');
  t.match(findings(returned, [told]), [/^webhook heard nothing of returned_by_bank MED1$/]);
  const failed = { ...returned, refunds: [refundOf('MED1', 5, { state: 'failed' })] };
  t.same(findings(failed, []), [], 'it stands no more');
});

t.test('a review that waited in calm is told', async (t) => {
  t.match(findings(reviewed(9), []), [/^webhook, .* heard nothing of review_waiting/]);
  t.same(findings(reviewed(6), []), [], 'it was decided before');
  const one = (to: string) =>
    mail(to, 'Pagamento de R$ 10,00 em análise: decida até 9:00', `/payments/${paymentId}`);
  const many = (to: string) => mail(to, '2 pagamentos em análise: o primeiro vence às 9:00', '/reviews');
  const posted = post('review_waiting', { paymentId });
  t.same(findings(reviewed(9), [posted, one(owner), many(operator)]), []);
  const early = { ...many(operator), at: atSecond(1) };
  t.match(findings(reviewed(9), [posted, one(owner), early]), [/^otto/], 'that one told of others');
});

t.test('a fault of what mails need excuses a review, another fault does not', async (t) => {
  const during = (kind: Window['kind'], from: number): Window[] => [
    { fault: 'one', target: 'one', kind, from: atSecond(from), to: atSecond(from + 1) },
  ];
  for (const kind of ['mail', 'dispatcher', 'postgres', 'machine'] as const)
    t.same(findings(reviewed(9), [], during(kind, 3)), [], kind);
  t.same(findings(reviewed(9), [], during('mail', -60)), [], 'a pause lasts a minute');
  t.equal(findings(reviewed(9), [], during('mail', -100)).length, 1);
  t.equal(findings(reviewed(9), [], during('machine', -60)).length, 1, 'it ends no try');
  for (const kind of ['nats', 'simulator', 'callers'] as const)
    t.equal(findings(reviewed(9), [], during(kind, 3)).length, 1, kind);
});

t.test("nobody needs to be told of what is a test store's", async (t) => {
  t.same(findings({ ...reviewed(9), knownAt: ['test'] }, []), []);
  t.same(findings({ ...returned, knownAt: ['test'] }, []), []);
  const run = caseOf({ ...owing, knownAt: ['test'] });
  run.evidence.refundsNotMade = run.evidence.refundsNotMade.map((refund) => ({ ...refund, isTest: true }));
  t.same(untoldAtEnd([], run.evidence), []);
});

t.test('whoever is told of a test is a breach', async (t) => {
  const test: HandMade = { status: 'approved', amount: 10, knownAt: ['test'], pix: [pixOf('10.00', 1)] };
  const told = mail(owner, '1 Pix', 'Pix E1');
  const posted = post('review_waiting', { paymentId });
  t.match(findings(test, [told, posted]), [/^olga@example.com heard of a test: 1 Pix$/, /^webhook heard/]);
  t.same(findings({ ...test, knownAt: ['bb'] }, [told, posted]), []);
});

t.test('a mail that comes twice says the same', async (t) => {
  const once = mail(owner, 'Convite', 'um');
  const nothing: HandMade = { status: 'pending', amount: 10 };
  t.same(findings(nothing, [once, { ...once, at: atSecond(9) }]), []);
  t.match(findings(nothing, [once, { ...once, text: 'dois' }]), [/came with 2 texts/]);
  t.same(findings(nothing, [once, { ...once, id: '<another>', text: 'dois' }]), []);
});
