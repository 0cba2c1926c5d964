import { listStores, type Store } from '@payments/database/stores/stores';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorOf } from '../../access/author.ts';
import { textField } from '../../administration/kit/fields.ts';
import { textOf, typedIn } from '../../administration/kit/form-values.ts';
import { postForm } from '../../administration/kit/forms.ts';
import { attempt, type FieldError, fieldsOf, judgeBy } from '../../administration/kit/judge.ts';
import { sendPage } from '../../administration/kit/send-page.ts';
import type { PeopleContext } from '../../context.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { invitationLink } from './invitation-link.ts';
import { createAccount } from './invite.ts';
import { readNewAccount } from './person-fields.ts';
import { roleAlert, roleFields } from './role-inputs.ts';
import { NewAccountBody } from './schemas.ts';

const config = { may: 'manageAccounts' } as const;
const section = 'access';

type Form = { values: Record<string, string>; wrong?: FieldError };

/** The creation of an account, and the page that shows its invitation once. */
export function newAccountPages(app: FastifyInstance, context: PeopleContext): void {
  const judge = judgeBy(NewAccountBody);
  const show = async (request: FastifyRequest, reply: FastifyReply, form: Form) => {
    const stores = await listStores(context.db);
    const content = (csrf: string) => formPage(csrf, form, stores);
    return sendPage(request, reply, { title: 'Criar conta', section, content });
  };

  app.get('/accounts/new', { config }, async (request, reply) =>
    show(request, reply, { values: { role: textOf(request.query, 'role') || 'viewer' } }),
  );

  const creating = { ...config, proof: { to: 'criar a conta' } };
  app.post('/accounts', { config: creating }, async (request, reply) => {
    const storeId = textOf(request.body, 'storeId') || null;
    const { result, wrong } = await attempt(() => {
      const body = judge({ ...typedIn(request.body), storeId });
      return createAccount(context, readNewAccount(body), authorOf(request));
    });
    if (wrong) return show(request, reply.code(400), { values: typedIn(request.body), wrong });
    const content = html`<p class="back"><a href="/panel/accounts">Acessos</a></p>
      <h1>${result.name}</h1><section class="card narrow">${invitationLink(result)}</section>`;
    return sendPage(request, reply, { title: 'Convite', section, content: () => content });
  });
}

function formPage(csrf: string, { values, wrong }: Form, stores: readonly Store[]): SafeHtml {
  const at = fieldsOf({ values, wrong });
  return html`<p class="back"><a href="/panel/accounts">Acessos</a></p>
    <h1>Criar conta</h1>
    <div class="card narrow">
      ${wrong ? roleAlert(wrong) : nothing}
      ${postForm(
        { csrf, action: '/panel/accounts' },
        html`${textField({ ...at('name'), required: true, label: 'Nome', hint: 'Aparece no histórico.' })}
          ${textField({ ...at('email'), required: true, label: 'E-mail', type: 'email' })}
          ${roleFields(values, stores)}
          <div class="actions"><button class="button primary">Criar e gerar convite</button>
          <a class="button quiet" href="/panel/accounts">Cancelar</a></div>`,
      )}
    </div>`;
}
