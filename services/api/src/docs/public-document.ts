import { webhooks } from '../public/payments/events.ts';
import type { DocsOptions } from './openapi.ts';

/** The public document's own texts, in Markdown. */
const description = `Charge customers by Pix, Brazil’s instant payment, and learn the result by webhook or by polling.

1. You send \`POST /api-public/payments\` with an amount. The response has a copy-and-paste code and the URL of its QR image.
2. The customer pays with any bank’s app.
3. You receive a signed webhook at the payment’s \`webhookUrl\`, or read the payment. Only \`approved\` means that the money is there.

Amounts are in BRL, as JSON numbers with at most two decimals. Times are ISO 8601 in UTC. Every error has a body of exactly \`statusCode\` and \`message\`, including the 404 of an unknown path or method. Clients should tolerate unknown fields.`;

const tokenDescription =
  'A store’s token, from the store administration panel. Only the newest token works: generating one invalidates ' +
  'the previous one at once. A token gives access to its own store only.';

/** @param url the service's address for stores, or `/` for the document's own host */
export function publicDocument(url: string): DocsOptions {
  return {
    title: 'Public Payments Service',
    description,
    servers: [{ url, description: 'The service' }],
    tags: [
      { name: 'Payments', description: 'Create, read and list the payments of the token’s store.' },
      { name: 'QR code', description: 'Images of codes, to embed in pages. No token needed.' },
      { name: 'Webhooks', description: 'Requests that the service sends to a payment’s `webhookUrl`.' },
      { name: 'Health', description: 'For orchestrators and monitors. No token needed.' },
    ],
    webhooks,
    bearer: { description: tokenDescription, format: 'pp_…' },
  };
}
