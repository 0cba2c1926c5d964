import { clockText, dayText, formatBrl, momentText } from '@payments/domain/brazilian';
import { dayOf } from '@payments/domain/days';
import { isMed, untoldNature } from '@payments/domain/refunds';
import type { ReviewReason } from '@payments/domain/status';
import type { Notice, NoticeKind } from '../kinds.ts';
import { kindNames } from '../names.ts';
import type { Render, Surroundings } from '../sending.ts';
import { type Content, type Item, render } from './layout.ts';

/** The words of letters about what waits for people: one for each kind, for one thing or for many. */

type Of<Kind extends NoticeKind> = Extract<Notice, { kind: Kind }>;

/** The notices of one kind that a letter is about; the first is the oldest. */
type Group<Kind extends NoticeKind> = {
  first: Of<Kind>;
  all: readonly Of<Kind>[];
  total: number;
  /** The number as it is written. */
  count: string;
  around: Surroundings;
};

/** The parts that differ by kind. `path` is the place in the panel. */
type Words = { subject: string; lead: string; label: string; path: string };

type KindWords<Kind extends NoticeKind> = {
  one: (group: Group<Kind>) => Words;
  many: (group: Group<Kind>) => Words;
  item: (notice: Of<Kind>, around: Surroundings) => Item;
};

// A mail with more would be long to read, and the panel shows them all.
const itemsAtMost = 20;

/** @returns the letter's words, in Portuguese */
export const renderNotices: Render = (collected, around) => {
  const { kind, total } = collected;
  // Each kind's words fit its own notices alone; the table has one entry for each.
  const words = kinds[kind] as KindWords<NoticeKind>;
  const all = collected.notices.slice(0, itemsAtMost);
  const [first] = all;
  if (!first) throw new Error('a letter needs a notice');
  const group = { first, all, total, count: total.toLocaleString('pt-BR'), around };
  const { subject, lead, label, path } = total === 1 ? words.one(group) : words.many(group);
  const content: Content = {
    subject,
    lead,
    items: all.map((notice) => words.item(notice, around)),
    more: total - all.length,
    action: { label, url: `${around.panelUrl}/panel${path}` },
    footer: `Você recebe os avisos “${kindNames[kind]}” do painel de pagamentos. Para escolher os seus avisos, abra “Minha conta” no painel.`,
  };
  return render(content);
};

const reviewReasons: Record<ReviewReason, string> = {
  late: 'O Pix foi pago depois do prazo da cobrança',
  cancelled: 'O Pix chegou depois que o pagamento foi cancelado',
  amount_differs: 'O valor pago é diferente do cobrado',
  review_above: 'O valor alcança o limite de análise da loja',
};

const bankReasons: Record<string, string> = {
  MED_FRAUDE: 'Motivo: suspeita de fraude',
  MED_OPERACIONAL: 'Motivo: falha operacional',
  ORIGINAL: 'Motivo: pedida por quem recebeu o Pix',
  [untoldNature]: 'Origem não informada pelo banco',
};

const storeOf = ({ storeId }: Notice, { storeNames }: Surroundings): string[] => {
  const name = storeId === null ? undefined : storeNames.get(storeId);
  return name === undefined ? [] : [`Loja: ${name}`];
};
const deadlineOf = ({ occurredAt }: Notice, { reviewTimeoutSeconds }: Surroundings) =>
  new Date(occurredAt.getTime() + reviewTimeoutSeconds * 1_000);
const sumOf = (notices: readonly { facts: { amount: number } }[]) =>
  formatBrl(notices.reduce((sum, { facts }) => sum + facts.amount, 0));
/** @returns the sum of all, if all are at hand */
const sumOfAll = ({ all, total }: { all: readonly { facts: { amount: number } }[]; total: number }) =>
  all.length === total ? ` (${sumOf(all)})` : '';
const pathOf = (paymentId: string | null, otherwise: string) =>
  paymentId === null ? otherwise : `/payments/${paymentId}`;
const seenAt = ({ occurredAt }: Notice) => `Desde ${momentText(occurredAt)}`;

/** Notices may be set up only after a certificate has ended. */
const hasEnded = ({ occurredAt, facts }: Of<'certificate_expires'>) => facts.date < dayOf(occurredAt);

/** Those that are not at hand may be no MED. */
const areMed = ({ all, total }: Group<'returned_by_bank'>) =>
  all.length === total && all.every(({ facts }) => isMed(facts.reason));

const kinds: { [Kind in NoticeKind]: KindWords<Kind> } = {
  review_waiting: {
    one: ({ first, around }) => ({
      subject: `Pagamento de ${formatBrl(first.facts.amount)} em análise: decida até ${clockText(deadlineOf(first, around))}`,
      lead: 'Um pagamento espera a sua decisão. Sem ela, o valor é devolvido ao pagador no fim do prazo.',
      label: 'Decidir agora',
      path: `/payments/${first.facts.paymentId}`,
    }),
    many: (group) => ({
      subject: `${group.count} pagamentos em análise: o primeiro vence às ${clockText(deadlineOf(group.first, group.around))}`,
      lead: `${group.count} pagamentos${sumOfAll(group)} esperam a sua decisão. Sem ela, cada valor é devolvido ao pagador no fim do prazo.`,
      label: 'Ver os pagamentos em análise',
      path: '/reviews',
    }),
    item: (notice, around) => ({
      title: formatBrl(notice.facts.amount),
      details: [
        ...storeOf(notice, around),
        reviewReasons[notice.facts.reason],
        `Decida até ${momentText(deadlineOf(notice, around))}`,
      ],
    }),
  },
  refund_owed: {
    one: ({ first }) => ({
      subject: `O banco recusou uma devolução de ${formatBrl(first.facts.amount)}`,
      lead: 'O banco recusou uma devolução, mesmo depois de novas tentativas. O valor continua devido ao pagador, e alguém precisa agir.',
      label: 'Abrir a devolução',
      path: pathOf(first.facts.paymentId, '/unmatched-pix'),
    }),
    many: (group) => ({
      subject: `O banco recusou ${group.count} devoluções`,
      lead: `O banco recusou ${group.count} devoluções${sumOfAll(group)}, mesmo depois de novas tentativas. Os valores continuam devidos, e alguém precisa agir.`,
      label: 'Ver as devoluções devidas',
      path: '/refunds?show=owed',
    }),
    item: (notice, around) => ({
      title: formatBrl(notice.facts.amount),
      details: [...storeOf(notice, around), `Pix ${notice.facts.endToEndId}`, seenAt(notice)],
    }),
  },
  returned_by_bank: {
    one: (group) => ({
      subject: areMed(group)
        ? `O banco iniciou a devolução de ${formatBrl(group.first.facts.amount)} (MED)`
        : `Devolução de ${formatBrl(group.first.facts.amount)} iniciada no banco`,
      lead: areMed(group)
        ? 'O banco iniciou por conta própria a devolução de um Pix recebido. Confira o pedido antes de entregar a compra.'
        : `Uma devolução de ${formatBrl(group.first.facts.amount)} foi iniciada no banco, e não por este serviço. Confira o pedido antes de entregar a compra.`,
      label: 'Abrir o pagamento',
      path: pathOf(group.first.facts.paymentId, '/refunds?show=bank'),
    }),
    many: (group) => ({
      subject: areMed(group)
        ? `O banco iniciou ${group.count} devoluções (MED)`
        : `${group.count} devoluções iniciadas no banco`,
      lead: areMed(group)
        ? `O banco iniciou por conta própria ${group.count} devoluções${sumOfAll(group)} de Pix recebidos. Confira os pedidos antes de entregar as compras.`
        : `${group.count} devoluções${sumOfAll(group)} de Pix recebidos foram iniciadas no banco, e não por este serviço. Confira os pedidos antes de entregar as compras.`,
      label: 'Ver as devoluções iniciadas no banco',
      path: '/refunds?show=bank',
    }),
    item: (notice, around) => ({
      title: formatBrl(notice.facts.amount),
      details: [
        ...storeOf(notice, around),
        bankReasons[notice.facts.reason] ?? [],
        `Pix ${notice.facts.endToEndId}`,
        seenAt(notice),
      ].flat(),
    }),
  },
  unmatched_pix: {
    one: ({ first }) => ({
      subject: `Pix de ${formatBrl(first.facts.amount)} sem pagamento`,
      lead: 'Chegou um Pix que não corresponde a nenhum pagamento. O valor está guardado: descubra de quem é, ou devolva.',
      label: 'Ver os Pix sem pagamento',
      path: '/unmatched-pix',
    }),
    many: (group) => ({
      subject: `${group.count} Pix sem pagamento`,
      lead: `Chegaram ${group.count} Pix${sumOfAll(group)} que não correspondem a nenhum pagamento. Os valores estão guardados: descubra de quem são, ou devolva.`,
      label: 'Ver os Pix sem pagamento',
      path: '/unmatched-pix',
    }),
    item: (notice) => ({
      title: formatBrl(notice.facts.amount),
      details: [`Pix ${notice.facts.endToEndId}`, `Banco ${notice.facts.bank}`, seenAt(notice)],
    }),
  },
  endpoint_failing: {
    one: ({ first }) => ({
      subject: `Os webhooks não chegam a ${first.facts.host}`,
      lead: 'As entregas a um destino falham seguidamente, e ele está em pausa. Os eventos ficam guardados e são enviados quando o destino responder. Confira o servidor que os recebe.',
      label: 'Ver o destino',
      path: '/deliveries/endpoints',
    }),
    many: ({ count }) => ({
      subject: `Os webhooks não chegam a ${count} destinos`,
      lead: `As entregas a ${count} destinos falham seguidamente, e eles estão em pausa. Os eventos ficam guardados e são enviados quando os destinos responderem. Confira os servidores que os recebem.`,
      label: 'Ver os destinos',
      path: '/deliveries/endpoints',
    }),
    item: (notice, around) => ({
      title: notice.facts.host,
      details: [
        ...storeOf(notice, around),
        `${notice.facts.failures.toLocaleString('pt-BR')} falhas seguidas`,
        seenAt(notice),
      ],
    }),
  },
  bank_failing: {
    one: ({ first }) => ({
      subject: `O banco ${first.facts.bank} está com falhas`,
      lead: 'Um banco não responde como deveria. As novas cobranças vão para o próximo banco da loja, se houver um.',
      label: 'Ver os bancos',
      path: '/banks',
    }),
    many: ({ count }) => ({
      subject: `Bancos com falhas: ${count} avisos`,
      lead: 'Bancos não respondem como deveriam. As novas cobranças vão para o próximo banco da loja, se houver um.',
      label: 'Ver os bancos',
      path: '/banks',
    }),
    item: (notice) => ({ title: `Banco ${notice.facts.bank}`, details: [seenAt(notice)] }),
  },
  reconciliation_differs: {
    one: ({ first: { facts } }) => ({
      subject: `Conciliação de ${dayText(facts.date)}: ${differences(facts.differences)}`,
      lead: 'O que o banco tem e o que o serviço tem não batem neste dia. Confira cada diferença.',
      label: 'Abrir a conciliação do dia',
      path: `/reconciliation/${facts.date}`,
    }),
    many: ({ count }) => ({
      subject: `${count} conciliações com diferenças`,
      lead: 'O que o banco tem e o que o serviço tem não batem nos dias abaixo. Confira cada diferença.',
      label: 'Abrir a conciliação',
      path: '/reconciliation',
    }),
    item: ({ facts }) => ({
      title: `${dayText(facts.date)}: ${differences(facts.differences)}`,
      details: [`Banco ${facts.bank}`],
    }),
  },
  certificate_expires: {
    one: ({ first }) => ({
      subject: `O certificado do banco ${first.facts.bank} ${hasEnded(first) ? 'venceu' : 'vence'} em ${dayText(first.facts.date)}`,
      lead: hasEnded(first)
        ? 'O banco não aceita mais nenhuma chamada: não há novas cobranças nem devoluções. Peça o novo certificado ao banco e troque-o agora.'
        : 'Depois dessa data, o banco não aceita mais nenhuma chamada: não há novas cobranças nem devoluções. Peça o novo certificado ao banco e troque-o antes.',
      label: 'Ver os bancos',
      path: '/banks',
    }),
    many: ({ count, all }) => ({
      subject: `${count} certificados de bancos ${all.some(hasEnded) ? 'vencidos ou ' : ''}perto do vencimento`,
      lead: 'Depois do vencimento, o banco não aceita mais nenhuma chamada: não há novas cobranças nem devoluções. Peça os novos certificados e troque-os antes.',
      label: 'Ver os bancos',
      path: '/banks',
    }),
    item: (notice) => ({
      title: `Banco ${notice.facts.bank}`,
      details: [`${hasEnded(notice) ? 'Venceu' : 'Vence'} em ${dayText(notice.facts.date)}`],
    }),
  },
};

const differences = (count: number) =>
  count === 1 ? '1 diferença' : `${count.toLocaleString('pt-BR')} diferenças`;
