import { webhooks } from '../payments/events.ts';
import type { DocsOptions } from './openapi.ts';

/** What the public document says beside its routes. Paragraphs are Markdown. */
const description = `Charge customers by Pix, Brazil’s instant payment, and learn the result by webhook or by polling.

1. \`POST /api-public/payments\` with an amount; the answer has a copy-and-paste code and the URL of its QR image.
2. The customer pays with any bank’s app.
3. A signed webhook arrives at the payment’s \`webhookUrl\`, or you read the payment. Only \`approved\` means that the money is there.

Amounts are in BRL, as JSON numbers with at most two decimals. Times are ISO 8601 in UTC. Every error has a body of exactly \`statusCode\` and \`message\`; an unknown path or method is a 404 of the same shape. Clients should tolerate fields that they do not know.`;

const tokenDescription =
  'A store’s token, from the store administration panel. Only the most recent one works: a new one makes the one ' +
  'before invalid at once. Everything is limited to the store that owns the token.';

/** @param url the address that stores reach the service at, or `/`: wherever the document came from */
export function publicDocument(url: string): DocsOptions {
  return {
    title: 'Public Payments Service',
    description,
    servers: [{ url, description: 'The service' }],
    tags: [
      { name: 'Payments', description: 'Create, read and list the payments of the token’s store.' },
      { name: 'QR code', description: 'Images of codes, to embed in pages. They need no token.' },
      { name: 'Webhooks', description: 'What the service sends to a payment’s `webhookUrl`.' },
      { name: 'Health', description: 'For orchestrators and monitors. They need no token.' },
    ],
    webhooks,
    bearer: { description: tokenDescription, format: 'pp_…' },
  };
}
