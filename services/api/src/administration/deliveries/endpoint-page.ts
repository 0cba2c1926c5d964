import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type FailingEndpoint, listFailingEndpoints } from '@payments/database/deliveries/endpoints';
import { listStores } from '@payments/database/stores/stores';
import { may } from '@payments/domain/roles';
import type { Actor } from '../../access/actor.ts';
import { authorOf } from '../../access/author.ts';
import { ownFilter } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { time } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { kindIn } from '../kit/filters.ts';
import { textOf } from '../kit/form-values.ts';
import { postForm } from '../kit/forms.ts';
import { sendPage } from '../kit/layout.ts';
import { notice } from '../kit/notices.ts';
import { phaseBadge } from '../kit/parts.ts';
import { emptyState, numeric, table } from '../kit/tables.ts';
import { endpointParams } from '../parameters.ts';
import { release } from './actions.ts';
import { deliveryErrorName } from './names.ts';
import { deliveryTabs } from './parts.ts';

const shownAtMost = 200;
const path = '/panel/deliveries/endpoints';

/** The page of failing receivers, longest failing first, and the release of one. */
export const endpointsPage: FastifyPluginAsyncTypebox<{ context: AdministrationContext }> = async (
  app,
  { context },
) => {
  const { db } = context;
  const reading = { config: { may: 'readEndpoints' as const, takesKind: true } };
  app.get('/deliveries/endpoints', reading, async (request, reply) => {
    const { actor } = request;
    const own = ownFilter(actor, request.query);
    const [endpoints, stores] = await Promise.all([
      listFailingEndpoints(db, shownAtMost, own),
      listStores(db, own),
    ]);
    const nameOf = new Map(stores.map(({ id, name }) => [id, name]));
    return sendPage(request, reply, {
      title: 'Destinos com falhas',
      section: 'deliveries',
      content: (
        csrf,
      ) => html`<h1>Entregas</h1>${deliveryTabs('endpoints', kindIn(own.test))}${notice(textOf(request.query, 'done'))}
        <p class="muted">Depois de dez falhas seguidas, o destino fica em pausa. Durante a pausa, só uma entrega por vez testa se ele voltou a responder.</p>
        <div class="card flush">${list({ csrf, actor, nameOf }, endpoints)}</div>`,
    });
  });

  const releasing = { schema: { params: endpointParams }, config: { may: 'releaseEndpoint' as const } };
  app.post('/deliveries/endpoints/:id/release', releasing, async (request, reply) => {
    await release(context, request.params.id, authorOf(request));
    return reply.redirect(`${path}?done=endpoint-released`, 303);
  });
};

type View = { csrf: string; actor: Actor; nameOf: ReadonlyMap<string, string> };

function list({ csrf, actor, nameOf }: View, endpoints: readonly FailingEndpoint[]): SafeHtml {
  if (endpoints.length === 0)
    return emptyState('Nenhum destino falhando', 'Todos os destinos estão respondendo.');
  const [isPlatform, mayRelease] = [actor.storeId === null, may(actor.role, 'releaseEndpoint')];
  const columns = [
    'Destino',
    ...(isPlatform ? ['Loja'] : []),
    'Status',
    numeric('Falhas seguidas'),
    'Falha desde',
    'Próximo teste',
    ...(mayRelease ? ['Ação'] : []),
  ];
  const rows = endpoints.map((one) => [
    html`<span class="wrap">${one.url}</span>`,
    ...(isPlatform
      ? [html`<a href="/panel/stores/${one.storeId}">${nameOf.get(one.storeId) ?? one.storeId}</a>`]
      : []),
    html`${phaseBadge(one.phase)}<span class="small muted wrap block">${one.lastError === null ? nothing : deliveryErrorName(one.lastError)}</span>`,
    html`${one.failures}`,
    time(one.failingSince),
    time(one.openUntil),
    ...(mayRelease ? [releaseForm(csrf, one)] : []),
  ]);
  return table('Destinos com falhas', columns, rows);
}

function releaseForm(csrf: string, { id }: FailingEndpoint): SafeHtml {
  return postForm(
    { csrf, action: `${path}/${id}/release` },
    html`<button class="button small">Liberar</button>`,
  );
}
