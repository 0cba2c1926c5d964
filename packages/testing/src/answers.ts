import type { paymentDetail } from '@payments/api/administration/payments/schemas';
import type { FailingEndpoint } from '@payments/database/deliveries/endpoints';
import type { EventType } from '@payments/domain/events';
import type { PaymentCreatedView, PaymentReadView, PaymentView } from '@payments/domain/payment';
import type { PaymentStatus } from '@payments/domain/status';
import type { showCharge, showPix, showRefund } from '@payments/pix-simulator/shapes';

/**
 * The answers of a running system, by the types of the views that make them. That they are also as documented is checked
 * at each answer (`openapi/watch.ts`).
 */
export type CreatedPayment = PaymentCreatedView;
export type Payment = PaymentReadView;

/** The body of a webhook. */
export type WebhookBody = PaymentView & { event: EventType; previousStatus?: PaymentStatus };

/** A payment as administrators see it. */
export type PaymentDetail = AsJson<ReturnType<typeof paymentDetail>>;
export type DeliveryDetail = PaymentDetail['deliveries'][number];
export type Endpoint = AsJson<FailingEndpoint>;

/** A page of a list, or all of a short one. */
export type List<Item> = { items: Item[]; total: number };

/** The bank's answer to a payer. */
export type Paid = { endToEndId: string; txid: string | null; valor: string; horario: string };

/** A charge at the bank, with its Pix and their refunds, and when it expires. */
export type BankCharge = ReturnType<typeof showCharge> & {
  expiraEm: string;
  pix: (ReturnType<typeof showPix> & { devolucoes: ReturnType<typeof showRefund>[] })[];
};

/** A type after its way through JSON: times become texts. */
type AsJson<Given> = Given extends Date
  ? string
  : Given extends (infer Item)[]
    ? AsJson<Item>[]
    : Given extends object
      ? { [Key in keyof Given]: AsJson<Given[Key]> }
      : Given;
