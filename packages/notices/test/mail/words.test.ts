import t, { type Test } from 'tap';
import { type Notice, type NoticeKind, noticeKinds } from '../../src/kinds.ts';
import { renderNotices } from '../../src/mail/notice-words.ts';
import { renderPersonal } from '../../src/mail/personal-words.ts';
import type { Rendered } from '../../src/sending.ts';
import { around, collected, paymentId, personal, samples } from './samples.ts';

type Words = { subject: string; path: string; text: readonly (string | RegExp)[] };

const one: Record<NoticeKind, Words> = {
  review_waiting: {
    subject: 'Pagamento de R$ 250,00 em análise: decida até 14:32',
    path: `/payments/${paymentId}`,
    text: [
      '- R$ 250,00\n  Loja: Café & Cia <Centro>\n  O valor pago é diferente do cobrado\n  Decida até 26/11/2026 às 14:32',
    ],
  },
  refund_owed: {
    subject: 'O banco recusou uma devolução de R$ 1.234,56',
    path: `/payments/${paymentId}`,
    text: ['Pix E1234567820261126173205AbCdEf12345', 'Desde 26/11/2026 às 14:02'],
  },
  returned_by_bank: {
    subject: 'O banco iniciou a devolução de R$ 9,90 (MED)',
    path: `/payments/${paymentId}`,
    text: ['Motivo: suspeita de fraude', 'Loja: Café & Cia <Centro>'],
  },
  unmatched_pix: {
    subject: 'Pix de R$ 42,00 sem pagamento',
    path: '/unmatched-pix',
    text: ['Banco efi'],
  },
  endpoint_failing: {
    subject: 'Os webhooks não chegam a webhooks.loja.example',
    path: '/deliveries/endpoints',
    text: ['10 falhas seguidas'],
  },
  bank_failing: { subject: 'O banco efi está com falhas', path: '/banks', text: ['Banco efi'] },
  reconciliation_differs: {
    subject: 'Conciliação de 25/11/2026: 3 diferenças',
    path: '/reconciliation/2026-11-25',
    text: ['Banco efi'],
  },
  certificate_expires: {
    subject: 'O certificado do banco bb vence em 10/12/2026',
    path: '/banks',
    text: ['Vence em 10/12/2026'],
  },
};

const many: Record<NoticeKind, Pick<Words, 'subject' | 'path'>> = {
  review_waiting: { subject: '3 pagamentos em análise: o primeiro vence às 14:32', path: '/reviews' },
  refund_owed: { subject: 'O banco recusou 3 devoluções', path: '/refunds?show=owed' },
  returned_by_bank: { subject: 'O banco iniciou 3 devoluções (MED)', path: '/refunds?show=bank' },
  unmatched_pix: { subject: '3 Pix sem pagamento', path: '/unmatched-pix' },
  endpoint_failing: { subject: 'Os webhooks não chegam a 3 destinos', path: '/deliveries/endpoints' },
  bank_failing: { subject: 'Bancos com falhas: 3 avisos', path: '/banks' },
  reconciliation_differs: { subject: '3 conciliações com diferenças', path: '/reconciliation' },
  certificate_expires: { subject: '3 certificados de bancos perto do vencimento', path: '/banks' },
};

/** Every letter has one place to go to at the most, says the same in both forms, and loads nothing. */
function assertSound(t: Test, { subject, text, html, url }: Rendered) {
  t.notMatch(subject, /[\r\n]/);
  t.same(new Set(text.match(/https?:\/\/\S+/g)), new Set(url === null ? [] : [url]), 'one link in the text');
  const links = [...html.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, to]) =>
    to?.replaceAll('&amp;', '&'),
  );
  t.same(
    new Set(links),
    new Set(url === null ? [] : [url]),
    'the same in the HTML, and nothing else is loaded',
  );
  t.notMatch(html, /<img|<script|<link |url\(|@import|\son\w+=/i);
  t.notMatch(html, /<Centro>|<Souza>|<produção>/, 'escaped');
  t.match(html, 'color-scheme');
  t.match(html, 'prefers-color-scheme: dark');
  t.match(html, 'lang="pt-BR"');
  t.notMatch(`${subject}${text}${html}`, /undefined|NaN|\[object|Invalid/);
}

for (const kind of noticeKinds)
  t.test(kind, async (t) => {
    const single = renderNotices(collected(kind), around);
    const { subject, path, text } = one[kind];
    t.equal(single.subject, subject);
    t.equal(single.url, `https://painel.pix.example/panel${path}`);
    for (const part of text) t.match(single.text, part);
    assertSound(t, single);

    const several = renderNotices(collected(kind, 3), around);
    t.equal(several.subject, many[kind].subject);
    t.equal(several.url, `https://painel.pix.example/panel${many[kind].path}`);
    t.equal(several.text.match(/^- /gm)?.length, 3);
    assertSound(t, several);
  });

t.test('ten thousand are one short letter', async (t) => {
  const { subject, text, html } = renderNotices(collected('review_waiting', 10_000, 50), around);
  t.equal(subject, '10.000 pagamentos em análise: o primeiro vence às 14:32');
  t.equal(text.match(/^- /gm)?.length, 20);
  t.match(text, '… e mais 9.980.');
  t.ok(html.length < 50_000, 'Gmail cuts mails of 102 kB');
});

t.test('a certificate that has ended already', async (t) => {
  const ending = samples.certificate_expires;
  const ended = { ...ending, facts: { ...ending.facts, date: '2026-11-25' } };
  const of = (...notices: Notice[]) =>
    renderNotices({ kind: 'certificate_expires', notices, total: notices.length }, around);
  t.equal(of(ended).subject, 'O certificado do banco bb venceu em 25/11/2026');
  t.match(of(ended).text, 'Venceu em 25/11/2026');
  t.notMatch(of(ended).text, /Depois dessa data|troque-o antes/);
  const today = { ...ending, facts: { ...ending.facts, date: '2026-11-26' } };
  t.match(of(today).subject, 'vence em 26/11/2026', 'its last day');
  t.equal(of(ended, ending).subject, '2 certificados de bancos vencidos ou perto do vencimento');
  assertSound(t, of(ended, ending));
});

t.test('several amounts are summed where all are at hand', async (t) => {
  t.match(renderNotices(collected('review_waiting', 3), around).text, '3 pagamentos (R$ 750,00)');
  t.match(renderNotices(collected('review_waiting', 30, 10), around).text, '30 pagamentos esperam');
});

t.test(
  'a refund of a Pix that fits no payment, a store whose name is not known, another reason of the bank',
  async (t) => {
    const owed = { ...samples.refund_owed, storeId: null };
    const notice = { ...owed, facts: { ...owed.facts, paymentId: null } };
    const { url } = renderNotices({ kind: 'refund_owed', notices: [notice], total: 1 }, around);
    t.equal(url, 'https://painel.pix.example/panel/unmatched-pix');
    const unnamed = renderNotices(collected('review_waiting'), { ...around, storeNames: new Map() });
    t.notMatch(unnamed.text, 'Loja:');
    const { facts } = samples.returned_by_bank;
    const odd = { ...samples.returned_by_bank, facts: { ...facts, reason: 'bank' } };
    t.notMatch(renderNotices({ kind: 'returned_by_bank', notices: [odd], total: 1 }, around).text, 'Motivo');
  },
);

/** The letter about returns with these `natureza`; of `total`, if there are more. */
function lettersOf(natures: readonly string[], total = natures.length) {
  const { facts, ...sample } = samples.returned_by_bank;
  const notices = natures.map((reason) => ({ ...sample, facts: { ...facts, reason } }));
  return renderNotices({ kind: 'returned_by_bank', notices, total }, around);
}

for (const nature of ['ORIGINAL', 'bank', 'RETIRADA'])
  t.test(`a return with the natureza ${nature} is no MED`, async (t) => {
    const letter = lettersOf([nature]);
    t.equal(letter.subject, 'Devolução de R$ 9,90 iniciada no banco');
    t.match(
      letter.text,
      'Uma devolução de R$ 9,90 foi iniciada no banco, e não por este serviço. Confira o pedido',
    );
    t.equal(letter.text.includes('Motivo: pedida por quem recebeu o Pix'), nature === 'ORIGINAL');
    t.equal(letter.text.includes('Origem não informada pelo banco'), nature === 'bank');
    for (const part of [letter.subject, letter.text, letter.html]) t.notMatch(part, /MED|por conta própria/);
    assertSound(t, letter);
  });

t.test('several returns are called MEDs only if all are known to be', async (t) => {
  const mixed = lettersOf(['MED_FRAUDE', 'ORIGINAL']);
  t.equal(mixed.subject, '2 devoluções iniciadas no banco');
  t.match(
    mixed.text,
    '2 devoluções (R$ 19,80) de Pix recebidos foram iniciadas no banco, e não por este serviço.',
  );
  t.match(mixed.text, 'Motivo: suspeita de fraude');
  t.notMatch(`${mixed.text}${mixed.html}`, /MED|por conta própria/);
  assertSound(t, mixed);
  t.equal(lettersOf(['MED_FRAUDE'], 30).subject, '30 devoluções iniciadas no banco');
  t.match(lettersOf(['MED_FRAUDE', 'MED_PIX_AUTOMATICO']).subject, 'O banco iniciou 2 devoluções (MED)');
});

const subjects: Record<string, string> = {
  invitation: 'Seu convite para o painel de pagamentos',
  'password asked for': 'Defina uma nova senha para o painel de pagamentos',
  'password by an owner': 'Defina uma nova senha para o painel de pagamentos',
  role: 'O seu perfil no painel mudou',
  deactivated: 'A sua conta no painel foi desativada',
  activated: 'A sua conta no painel foi ativada',
  key: 'Uma chave de API foi criada com a sua conta',
  token: 'Um token de loja foi gerado com a sua conta',
  password: 'A senha da sua conta mudou',
  'factor on': 'Segundo fator ativado na sua conta',
  'factor off': 'Segundo fator desativado na sua conta',
  'passkey added': 'Chave de acesso criada na sua conta',
  'passkey removed': 'Chave de acesso removida da sua conta',
  place: 'Nova entrada na sua conta',
};

for (const [name, notice] of Object.entries(personal))
  t.test(`to the person concerned: ${name}`, async (t) => {
    const letter = renderPersonal(notice, around);
    t.equal(letter.subject, subjects[name]);
    // Nobody is sent to a panel that is closed to them.
    const url = name === 'deactivated' ? null : 'https://painel.pix.example/panel/my-account';
    t.equal(letter.url, notice.link ?? url);
    assertSound(t, letter);
  });

t.test('a person reads where and when it happened', async (t) => {
  const { text } = renderPersonal(personal.key!, around);
  t.match(text, '- 26/11/2026 às 14:02\n  Chrome no Windows\n  Endereço 203.0.113.7');
  const byOther = renderPersonal(personal.role!, around);
  t.match(byOther.text, '“Loja: administração”, na loja Café & Cia <Centro>');
  t.match(byOther.text, 'A mudança foi feita por quem administra o painel.');
});
