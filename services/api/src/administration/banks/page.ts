import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { may } from '@payments/domain/roles';
import { isTestBank } from '@payments/domain/route-charge';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import { authorOf } from '../../access/author.ts';
import { readKind } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { money, time } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { kindIn } from '../kit/filters.ts';
import { attempt, judgeBy, textOf } from '../kit/form-values.ts';
import { confirmation, postForm, textArea } from '../kit/forms.ts';
import { sendPage } from '../kit/layout.ts';
import { alert, notice } from '../kit/notices.ts';
import { bankBadge } from '../kit/parts.ts';
import { linkTo, numeric, table } from '../kit/tables.ts';
import { bankParams } from '../parameters.ts';
import { pauseBank, readBanks, resumeBank, type ShownBank } from './actions.ts';
import { errorOf } from './names.ts';
import { PauseBody } from './schemas.ts';

const judge = judgeBy(PauseBody);

/** The page of the banks, their pause and resume. */
export const banksPage: FastifyPluginAsyncTypebox<{ context: AdministrationContext }> = async (
  app,
  { context },
) => {
  app.get('/banks', { config: { may: 'readBanks', takesKind: true } }, async (request, reply) =>
    show(context, request, reply),
  );

  const pausing = { schema: { params: bankParams }, config: { may: 'pauseBank' as const } };
  app.post('/banks/:id/pause', pausing, async (request, reply) => {
    const { id } = request.params;
    const typed = textOf(request.body, 'reason');
    const { wrong } = await attempt(() =>
      pauseBank(context, id, authorOf(request, judge({ reason: typed }))),
    );
    if (wrong) return show(context, request, reply.code(400), { id, reason: typed, wrong: wrong.message });
    return reply.redirect(linkTo('/panel/banks', { ...kindIn(isTestBank(id)), done: 'bank-paused' }), 303);
  });

  app.post('/banks/:id/resume', pausing, async (request, reply) => {
    const { id } = request.params;
    await resumeBank(context, id, authorOf(request));
    return reply.redirect(linkTo('/panel/banks', { ...kindIn(isTestBank(id)), done: 'bank-resumed' }), 303);
  });
};

async function show(
  context: AdministrationContext,
  request: FastifyRequest,
  reply: FastifyReply,
  undone?: UndonePause,
): Promise<FastifyReply> {
  const banks = await readBanks(
    context,
    undone ? { test: isTestBank(undone.id) } : readKind(request.actor, request.query),
  );
  const said = undone
    ? alert('error', 'O banco não foi pausado. Corrija o campo indicado.')
    : notice(textOf(request.query, 'done'));
  return sendPage(request, reply, {
    title: 'Bancos',
    section: 'banks',
    content: (csrf) => html`<h1>Bancos</h1>${said}
      <p class="muted">Em ordem de preferência. Cada cobrança nova vai para o primeiro banco da loja que não está pausado nem com falhas. Tudo o que um banco já tem continua nele até o fim.</p>
      <div class="card flush">${bankTable(csrf, banks, { actor: request.actor, undone })}</div>`,
  });
}

/** A refused pause: the typed reason and what is wrong with it. */
type UndonePause = { id: string; reason: string; wrong: string };

const columns = [
  'Banco',
  'Status',
  'Desde',
  numeric('Aguardam código'),
  numeric('Cobranças hoje'),
  numeric('Valor hoje'),
  'Último erro',
];

type View = { actor: Pick<Actor, 'role'>; undone: UndonePause | undefined };

function bankTable(csrf: string, banks: readonly ShownBank[], { actor, undone }: View): SafeHtml {
  const mayPause = may(actor.role, 'pauseBank');
  const rows = banks.map((bank) => [
    html`<strong>${bank.id}</strong><span class="small muted block">${bank.psp}</span>`,
    html`${bankBadge(bank.state)}${pauseReason(bank)}`,
    time(bank.since),
    html`${bank.waiting.toLocaleString('pt-BR')}`,
    html`${bank.chargesToday.toLocaleString('pt-BR')}`,
    money(bank.amountToday),
    html`<span class="small wrap">${errorOf(bank)}</span>`,
    ...(mayPause ? [bank.isPaused ? resume(csrf, bank) : pause(csrf, bank, undone)] : []),
  ]);
  return table('Bancos', mayPause ? [...columns, 'Ação'] : columns, rows);
}

function pauseReason({ pausedReason }: ShownBank): SafeHtml {
  return pausedReason === null ? nothing : html`<span class="small wrap block">${pausedReason}</span>`;
}

function pause(csrf: string, { id }: ShownBank, undone: UndonePause | undefined): SafeHtml {
  const typed = undone?.id === id ? undone : undefined;
  const question = {
    csrf,
    action: `/panel/banks/${id}/pause`,
    id: `pause-${id}`,
    label: 'Pausar',
    warning: `Nenhuma cobrança nova vai para ${id} até que alguém o retome. As cobranças e devoluções que ele já tem continuam.`,
    confirm: `Pausar ${id}`,
    open: typed !== undefined,
  };
  const reason = {
    id: `reason-${id}`,
    name: 'reason',
    label: 'Motivo',
    rows: 2,
    required: true,
    value: typed?.reason,
    error: typed?.wrong,
  };
  return confirmation(question, textArea(reason));
}

function resume(csrf: string, { id }: ShownBank): SafeHtml {
  const label = html`Retomar<span class="visually-hidden"> ${id}</span>`;
  return postForm(
    { csrf, action: `/panel/banks/${id}/resume` },
    html`<button class="button small">${label}</button>`,
  );
}
