import { type Key, listKeys } from '@payments/database/accounts/keys';
import { listStores, type Store } from '@payments/database/stores/stores';
import { roleNames } from '@payments/notices/names';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorOf, readKind } from '../../access/actor.ts';
import { type KindInLink, kindIn } from '../../administration/kit/filters.ts';
import {
  attempt,
  dateTimeOf,
  type FieldError,
  fieldsOf,
  judgeBy,
  textOf,
  typedIn,
} from '../../administration/kit/form-values.ts';
import { confirmation, momentField, postForm, textField } from '../../administration/kit/forms.ts';
import { sendPage } from '../../administration/kit/layout.ts';
import { alert, badge, copyable, notice } from '../../administration/kit/parts.ts';
import { emptyState, linkTo, table } from '../../administration/kit/tables.ts';
import type { PeoplePlugin } from '../../context.ts';
import { html, nothing, type SafeHtml, time } from '../../pages/html.ts';
import { accessTabs, roleAlert, roleFields } from '../accounts/parts.ts';
import { type IssuedKey, issueKey, keyParams, NewKeyBody, readKey, removeKey } from './actions.ts';

/** A post adds this to the page: what was typed, if something is wrong, or a new key, shown only this once. */
type Shown = { values?: Record<string, string>; wrong?: FieldError; issued?: IssuedKey };

const judge = judgeBy(NewKeyBody);

/** The page of programs' keys, for owners. */
export const keysPage: PeoplePlugin = async (app, { context }) => {
  const { db, now } = context;
  const may = 'manageKeys' as const;
  const show = async (request: FastifyRequest, reply: FastifyReply, shown: Shown = {}) => {
    const kind = readKind(request.actor, request.query);
    const [keys, stores] = await Promise.all([listKeys(db, kind), listStores(db)]);
    const told = notice(textOf(request.query, 'done'));
    const content = (csrf: string) =>
      page(csrf, { keys, stores, kind: kindIn(kind.test), now: now(), notice: told, ...shown });
    return sendPage(request, reply, { title: 'Chaves', section: 'access', isOfTests: kind.test, content });
  };

  app.get('/keys', { config: { may, takesKind: true } }, async (request, reply) => show(request, reply));

  const creating = { may, proof: { to: 'criar a chave' } };
  app.post('/keys', { config: creating }, async (request, reply) => {
    const storeId = textOf(request.body, 'storeId') || null;
    const { result: issued, wrong } = await attempt(() => {
      const expiresAt = dateTimeOf(request.body, 'expiresAt')?.toISOString() ?? null;
      const body = judge({ ...typedIn(request.body), storeId, expiresAt });
      return issueKey(context, readKey(body), authorOf(request));
    });
    if (wrong) return show(request, reply.code(400), { values: typedIn(request.body), wrong });
    return show(request, reply, { issued });
  });

  const deleting = { schema: { params: keyParams }, config: { may, proof: { to: 'apagar a chave' } } };
  app.post('/keys/:id/delete', deleting, async (request, reply) => {
    await removeKey(context, request.params.id, authorOf(request));
    const kind = kindIn(readKind(request.actor, request.query).test);
    return reply.redirect(linkTo('/panel/keys', { ...kind, done: 'key-deleted' }), 303);
  });
};

type KeysPage = Shown & {
  keys: readonly Key[];
  stores: readonly Store[];
  kind: KindInLink;
  now: Date;
  notice: SafeHtml;
};

/** Shows a new key, the list without secrets, and the form for another. */
function page(csrf: string, shown: KeysPage): SafeHtml {
  const { keys, kind, issued } = shown;
  return html`<h1>Acessos</h1>${accessTabs('keys', kind)}${shown.notice}
    ${issued ? shownOnce(issued, kind) : nothing}
    <div class="card flush">${keys.length === 0 ? emptyState('Nenhuma chave', 'Programas usam a API de administração com uma chave própria.') : keyTable(csrf, shown)}</div>
    ${newKeySection(csrf, shown)}`;
}

function shownOnce({ name, key }: IssuedKey, kind: KindInLink): SafeHtml {
  return html`<section class="card narrow"><div class="secret" data-address="${linkTo('/panel/keys', kind)}">
    ${alert('done', html`<strong>Chave ${name} criada.</strong> Copie agora: ela não será mostrada de novo.`)}
    ${copyable('Chave criada', key)}</div></section>`;
}

function keyTable(csrf: string, { keys, stores, kind, now }: KeysPage): SafeHtml {
  const names = new Map(stores.map(({ id, name }) => [id, name]));
  const columns = ['Nome', 'Perfil', 'Loja', 'Expira em', 'Último uso', 'Ação'];
  const rows = keys.map(({ id, name, role, storeId, expiresAt, lastUsedAt }) => [
    html`<span class="wrap">${name}</span>`,
    html`${roleNames[role]}`,
    storeId === null
      ? html`<span class="muted">Todas</span>`
      : html`<span class="words">${names.get(storeId) ?? storeId}</span>`,
    expiry(expiresAt, now),
    time(lastUsedAt),
    confirmation({
      csrf,
      action: linkTo(`/panel/keys/${id}/delete`, kind),
      id: `delete-${id}`,
      label: 'Apagar',
      warning: 'O programa perde o acesso agora. Isto não pode ser desfeito.',
      confirm: 'Apagar chave',
    }),
  ]);
  return table('Chaves', columns, rows);
}

function expiry(expiresAt: Date | null, now: Date): SafeHtml {
  if (!expiresAt) return html`<span class="muted nowrap">Não expira</span>`;
  return expiresAt <= now ? badge('bad', 'Expirada') : time(expiresAt);
}

function newKeySection(csrf: string, { stores, kind, values = {}, wrong }: KeysPage): SafeHtml {
  const at = fieldsOf({ values, wrong });
  return html`<section class="card narrow" id="new-key"><h2>Criar chave</h2>
    ${wrong ? roleAlert(wrong) : nothing}
    ${postForm(
      { csrf, action: linkTo('/panel/keys', kind) },
      html`${textField({ ...at('name'), label: 'Nome do programa', required: true })}
        ${roleFields(values, stores, wrong)}
        ${momentField({ ...at('expiresAt'), label: 'Expira em', hint: 'Horário de Brasília. Em branco: não expira.' })}
        <button class="button primary">Criar chave</button>`,
    )}</section>`;
}
