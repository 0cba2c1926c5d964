import { deletePasskey, insertPasskey, listPasskeys } from '@payments/database/people/passkeys';
import type { FastifyInstance } from 'fastify';
import { authorOf } from '../../access/author.ts';
import { textOf } from '../../administration/kit/form-values.ts';
import { passkeyForm } from '../../administration/kit/passkey-form.ts';
import { sendPage } from '../../administration/kit/send-page.ts';
import type { PeopleContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { html } from '../../pages/html.ts';
import { askForNewPasskey, newPasskeyOf } from '../second-factor/passkeys.ts';
import { browserName } from './browser-name.ts';
import { ownAccount, refusedPassword } from './own-account.ts';
import type { ShowWrong } from './page.ts';

const config = { may: 'anyone', withoutFactor: true } as const;
const path = '/my-account/passkeys';

/** Adds a passkey, for which the password is asked, and removes one. */
export function passkeyPages(app: FastifyInstance, context: PeopleContext, showWrong: ShowWrong): void {
  const { db, now } = context;

  app.post(path, { config }, async (request, reply) => {
    const account = await ownAccount(context, request);
    const message = await refusedPassword(context, request, account);
    if (message) return showWrong(request, reply.code(400), { form: 'passkey', field: 'current', message });
    const asked = await askForNewPasskey(context, account, await listPasskeys(db, account.id));
    return sendPage(request, reply, {
      title: 'Chave de acesso',
      content: (csrf) => html`<p class="back"><a href="/panel/my-account">Minha conta</a></p>
        <h1>Criar chave de acesso</h1>
        <section class="card narrow"><p>O seu dispositivo vai pedir o PIN, a digital ou o rosto.</p>
        ${passkeyForm({ csrf, action: `/panel${path}/confirm` }, { ...asked, way: 'create', label: 'Criar chave de acesso' })}</section>`,
    });
  });

  app.post(`${path}/confirm`, { config }, async (request, reply) => {
    const { id: accountId, storeId } = await ownAccount(context, request);
    const given = { answer: textOf(request.body, 'answer'), sealed: textOf(request.body, 'sealed') };
    const made = await newPasskeyOf(context, accountId, given);
    if (!made) throw errors.formExpired();
    const { id, publicKey, counter } = made;
    const name = browserName(request.headers['user-agent'] ?? null);
    const passkey = { id, accountId, publicKey: Buffer.from(publicKey), counter, name };
    await insertPasskey(db, passkey, { by: authorOf(request), now: now(), storeId });
    return reply.redirect('/panel/my-account?done=passkey-added#passkeys', 303);
  });

  const removing = { ...config, proof: { to: 'remover a chave de acesso' } };
  app.post<{ Params: { id: string } }>(`${path}/:id/remove`, { config: removing }, async (request, reply) => {
    const { id: accountId, storeId } = await ownAccount(context, request);
    const { id } = request.params;
    await deletePasskey(db, { id, accountId }, { by: authorOf(request), now: now(), storeId });
    return reply.redirect('/panel/my-account?done=passkey-removed#passkeys', 303);
  });
}
