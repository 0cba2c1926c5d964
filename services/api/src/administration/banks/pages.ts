import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorOf } from '../../access/author.ts';
import type { AdministrationContext } from '../../context.ts';
import { html } from '../../pages/html.ts';
import { attempt, judgeBy, textOf } from '../kit/form-values.ts';
import { sendPage } from '../kit/layout.ts';
import { alert, notice } from '../kit/notices.ts';
import { bankTable, type UndonePause } from './bank-table.ts';
import { pauseBank, resumeBank } from './pause.ts';
import { readBanks } from './read-banks.ts';
import { PauseBody } from './schemas.ts';

const judge = judgeBy(PauseBody);

/** The page of the banks, their pause and resume. */
export function bankPages(app: FastifyInstance, context: AdministrationContext): void {
  app.get('/banks', { config: { may: 'readBanks' } }, async (request, reply) =>
    show(context, request, reply),
  );

  type Bank = { Params: { id: string } };
  const pausing = { config: { may: 'pauseBank' as const } };
  app.post<Bank>('/banks/:id/pause', pausing, async (request, reply) => {
    const { id } = request.params;
    const typed = textOf(request.body, 'reason');
    const { wrong } = await attempt(() =>
      pauseBank(context, id, authorOf(request, judge({ reason: typed }))),
    );
    if (wrong) return show(context, request, reply.code(400), { id, reason: typed, wrong: wrong.message });
    return reply.redirect('/panel/banks?done=bank-paused', 303);
  });

  app.post<Bank>('/banks/:id/resume', pausing, async (request, reply) => {
    await resumeBank(context, request.params.id, authorOf(request));
    return reply.redirect('/panel/banks?done=bank-resumed', 303);
  });
}

async function show(
  context: AdministrationContext,
  request: FastifyRequest,
  reply: FastifyReply,
  undone?: UndonePause,
): Promise<FastifyReply> {
  const banks = await readBanks(context);
  const said = undone
    ? alert('error', 'O banco não foi pausado. Corrija o campo indicado.')
    : notice((request.query as { done?: unknown }).done);
  return sendPage(request, reply, {
    title: 'Bancos',
    section: 'banks',
    content: (csrf) => html`<h1>Bancos</h1>${said}
      <p class="muted">Em ordem de preferência. Cada cobrança nova vai para o primeiro banco da loja que não está pausado nem com falhas. Tudo o que um banco já tem continua nele até o fim.</p>
      <div class="card flush">${bankTable(csrf, banks, { actor: request.actor, undone })}</div>`,
  });
}
