import { webhookBody } from '@payments/domain/events';
import { newId } from '@payments/domain/identifiers';
import { paymentView } from '@payments/domain/payment';
import type { AttemptResult } from '@payments/webhooks/attempt-result';
import type { Sender } from '@payments/webhooks/sender';
import { signatureHeaders, signingKey } from '@payments/webhooks/signature';
import type { AdministrationContext } from '../../context.ts';
import { secretsInForce } from './webhook-secret.ts';

/**
 * Sends a `payment.created` of a payment that does not exist, signed like every webhook (Contract: signature).
 * @throws ApiError 404 for an unknown store
 */
export async function sendTestEvent(
  context: AdministrationContext,
  sender: Sender,
  { storeId, url }: { storeId: string; url: string },
): Promise<AttemptResult> {
  const { secret, previousSecret } = await secretsInForce(context, storeId);
  const secrets = previousSecret === null ? [secret] : [secret, previousSecret];
  const timestamp = context.now();
  const body = bodyOf(context, storeId, timestamp);
  const signature = signatureHeaders({ id: newId(), timestamp, body, keys: secrets.map(signingKey) });
  const headers = { ...signature, 'content-type': 'application/json', 'user-agent': 'public-payments/test' };
  return sender.send({ url, headers, body });
}

function bodyOf({ publicUrl }: AdministrationContext, storeId: string, createdAt: Date): string {
  const none = { feeAmount: null, liquidValue: null, email: null, webhookUrl: null, copyAndPaste: null };
  const payment = {
    id: newId(),
    storeId,
    status: 'pending',
    amount: 1_000,
    observation: 'Evento de teste: este pagamento é fictício.',
    isPublic: true,
    reference: null,
    expiresIn: null,
    createdAt,
    ...none,
  } as const;
  const text = JSON.stringify(paymentView(payment, publicUrl));
  return webhookBody({ type: 'payment.created', payment: text, previousStatus: null });
}
