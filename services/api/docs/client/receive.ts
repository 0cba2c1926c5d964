import { verifyWebhook } from 'public-payments-client/webhooks';

/** A handler of Fetch’s kind: Next.js, Hono, Deno, Bun, Cloudflare. */
export async function POST(request: Request): Promise<Response> {
  const webhook = await verifyWebhook({
    secret: process.env.WEBHOOK_SECRET ?? '',
    headers: request.headers,
    body: await request.text(),
  }).catch(() => undefined);
  if (!webhook) return new Response(null, { status: 401 });

  const { id, event } = webhook;
  if (event.event === 'payment.status_changed' && event.status === 'approved') {
    console.log(`deliver the order of payment ${event.id}, unless ${id} is known already`);
  }
  return new Response(null, { status: 200 });
}
