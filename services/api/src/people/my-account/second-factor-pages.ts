import { disableSecondFactor, enableSecondFactor } from '@payments/database/people/second-factor';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorOf } from '../../access/author.ts';
import { textOf } from '../../administration/kit/form-values.ts';
import { sendPage } from '../../administration/kit/send-page.ts';
import type { PeopleContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { newRecoveryCodes, recoveryCodeHash } from '../second-factor/recovery-codes.ts';
import { seal, unseal } from '../second-factor/sealed-secret.ts';
import { enrolmentOf, newTotpSecret, stepOf } from '../second-factor/totp.ts';
import { ownAccount, refusedPassword } from './own-account.ts';
import type { ShowWrong, Wrong } from './page.ts';
import { enrolmentPage, recoveryCodesPage } from './second-factor-page.ts';

const config = { may: 'anyone', withoutFactor: true } as const;
const path = '/my-account/second-factor';

/** Turns the second factor on, in two steps, and off. The password is asked for both. */
export function secondFactorPages(app: FastifyInstance, context: PeopleContext, showWrong: ShowWrong): void {
  const { sealingKeys, db, now } = context;
  const refused = (message: string): Wrong => ({ form: 'second_factor', field: 'current', message });
  // A seal of its own: what is stored can't be handed back as a new secret.
  const purpose = (id: string) => `${id}, not confirmed`;

  const enrol = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { id, email, secret, error }: { id: string; email: string; secret: Buffer; error?: string },
  ) => {
    const sealed = seal(secret, purpose(id), sealingKeys).toString('base64url');
    const content = await enrolmentPage({ enrolment: await enrolmentOf(secret, email), sealed, error });
    return sendPage(request, reply, { title: 'Ativar segundo fator', content });
  };

  app.post(path, { config }, async (request, reply) => {
    const account = await ownAccount(context, request);
    const message = await refusedPassword(context, request, account);
    if (message) return showWrong(request, reply.code(400), refused(message));
    return enrol(request, reply, { ...account, secret: newTotpSecret() });
  });

  app.post(`${path}/confirm`, { config }, async (request, reply) => {
    const account = await ownAccount(context, request);
    const { id, storeId } = account;
    const secret = unseal(Buffer.from(textOf(request.body, 'sealed'), 'base64url'), purpose(id), sealingKeys);
    if (!secret || account.totpSecret !== null) throw errors.formExpired();
    const step = await stepOf(textOf(request.body, 'code').replaceAll(/\s/g, ''), secret, now());
    if (step === undefined)
      return enrol(request, reply.code(400), {
        ...account,
        secret,
        error: 'Código incorreto. Confira a hora do celular.',
      });
    const codes = newRecoveryCodes();
    const hashes = codes.map((code) => recoveryCodeHash(id, code));
    const made = { secret: seal(secret, id, sealingKeys), step, codes: hashes };
    const session = request.panelSession?.id ?? '';
    await enableSecondFactor(db, id, made, { by: authorOf(request), now: now(), storeId, session });
    return sendPage(request, reply, { title: 'Segundo fator', content: () => recoveryCodesPage(codes) });
  });

  app.post(`${path}/off`, { config }, async (request, reply) => {
    const account = await ownAccount(context, request);
    const message = await refusedPassword(context, request, account);
    if (message) return showWrong(request, reply.code(400), refused(message));
    const { id, storeId } = account;
    await disableSecondFactor(db, id, { by: authorOf(request), now: now(), storeId });
    return reply.redirect('/panel/my-account?done=second-factor-off', 303);
  });
}
