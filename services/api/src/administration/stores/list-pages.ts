import { listStores, type Store } from '@payments/database/stores/stores';
import { may } from '@payments/domain/roles';
import type { FastifyInstance } from 'fastify';
import { authorOf } from '../../access/author.ts';
import type { AdministrationContext } from '../../context.ts';
import { money, time } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { attempt, type FieldError, typedIn } from '../kit/form-values.ts';
import { postForm } from '../kit/forms.ts';
import { sendPage } from '../kit/layout.ts';
import { alert } from '../kit/notices.ts';
import { activeBadge } from '../kit/parts.ts';
import { emptyState, numeric, table } from '../kit/tables.ts';
import { createStore } from './create-store.ts';
import { readNewStore, storeFields } from './store-form.ts';

const section = 'stores';
const create = html`<a class="button primary" href="/panel/stores/new">Criar loja</a>`;

/** The pages with the list of stores and the creation of one. */
export function storeListPages(app: FastifyInstance, context: AdministrationContext): void {
  app.get('/stores', { config: { may: 'readStores' } }, async (request, reply) => {
    const { storeId, role } = request.actor;
    if (storeId !== null) return reply.redirect(`/panel/stores/${storeId}`, 303);
    const stores = await listStores(context.db);
    const content = list(stores, may(role, 'changeStores') ? create : nothing);
    return sendPage(request, reply, { title: 'Lojas', section, content: () => content });
  });

  const creating = { config: { may: 'changeStores' as const } };
  const bankIds = () => context.banks.all().map(({ id }) => id);
  const showForm = (values: Record<string, string>, wrong?: FieldError) =>
    ({
      title: 'Criar loja',
      section,
      content: (csrf: string) => newStore(csrf, { values, banks: bankIds(), wrong }),
    }) as const;

  app.get('/stores/new', creating, async (request, reply) => sendPage(request, reply, showForm({})));

  app.post('/stores', creating, async (request, reply) => {
    const { result, wrong } = await attempt(() =>
      createStore(context, readNewStore(request.body), authorOf(request)),
    );
    if (wrong) return sendPage(request, reply.code(400), showForm(typedIn(request.body), wrong));
    return reply.redirect(`/panel/stores/${result.id}/store?done=store-created`, 303);
  });
}

function list(stores: readonly Store[], action: SafeHtml): SafeHtml {
  const columns = ['Loja', 'Status', numeric('Valor máximo'), 'Criada em'];
  const rows = stores.map((store) => [
    html`<a class="words" href="/panel/stores/${store.id}">${store.name}</a>`,
    activeBadge(store.active),
    money(store.maxAmount),
    time(store.createdAt),
  ]);
  return html`<div class="title"><h1>Lojas</h1>${action}</div>
    ${
      stores.length === 0
        ? emptyState(
            'Nenhuma loja ainda',
            'Crie a primeira para gerar o seu token e receber por Pix.',
            action,
          )
        : html`<div class="card flush">${table('Lojas', columns, rows)}</div>`
    }`;
}

type Form = { values: Record<string, string>; banks: readonly string[]; wrong: FieldError | undefined };

function newStore(csrf: string, { values, banks, wrong }: Form): SafeHtml {
  return html`<p class="back"><a href="/panel/stores">Lojas</a></p>
    <h1>Criar loja</h1>
    <div class="card narrow">
      ${wrong ? alert('error', 'A loja não foi criada. Corrija o campo indicado.') : ''}
      ${postForm(
        { csrf, action: '/panel/stores' },
        html`${storeFields(values, banks, wrong)}
          <div class="actions"><button class="button primary">Criar loja</button>
          <a class="button quiet" href="/panel/stores">Cancelar</a></div>`,
      )}
    </div>`;
}
