import { deleteKey, listKeys } from '@payments/database/people/keys';
import { listStores } from '@payments/database/stores/stores';
import { isId } from '@payments/domain/identifiers';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorOf } from '../../access/author.ts';
import { dateTimeOf, textOf, typedIn } from '../../administration/kit/form-values.ts';
import { attempt, type FieldError, judgeBy } from '../../administration/kit/judge.ts';
import { notice } from '../../administration/kit/notices.ts';
import { sendPage } from '../../administration/kit/send-page.ts';
import type { PeopleContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { type IssuedKey, issueKey, readKey } from './issue-key.ts';
import { keysPage } from './page.ts';
import { NewKeyBody } from './schemas.ts';

const config = { may: 'manageKeys' } as const;

type Shown = { values?: Record<string, string>; wrong?: FieldError; issued?: IssuedKey };

/** The page of programs' keys, for owners. */
export function keyPages(app: FastifyInstance, context: PeopleContext): void {
  const { db, now } = context;
  const judge = judgeBy(NewKeyBody);
  const show = async (request: FastifyRequest, reply: FastifyReply, shown: Shown = {}) => {
    const [keys, stores] = await Promise.all([listKeys(db), listStores(db)]);
    const told = notice((request.query as { done?: unknown }).done);
    const content = (csrf: string) => keysPage(csrf, { keys, stores, now: now(), notice: told, ...shown });
    return sendPage(request, reply, { title: 'Chaves', section: 'access', content });
  };

  app.get('/keys', { config }, async (request, reply) => show(request, reply));

  const creating = { ...config, proof: { to: 'criar a chave' } };
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

  const deleting = { ...config, proof: { to: 'apagar a chave' } };
  app.post<{ Params: { id: string } }>('/keys/:id/delete', { config: deleting }, async (request, reply) => {
    const { id } = request.params;
    if (!isId(id) || !(await deleteKey(db, id, now(), authorOf(request)))) throw errors.keyNotFound();
    return reply.redirect('/panel/keys?done=key-deleted', 303);
  });
}
