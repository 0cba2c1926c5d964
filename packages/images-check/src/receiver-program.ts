/** The port of the receiver that runs beside the services. */
export const receiverPort = 8090;

/** A store's receiver, for `node -e` in one of our own images: it remembers webhooks, and lists them when asked. */
export const receiverProgram = `
const seen = [];
require('node:http').createServer(async (request, response) => {
  if (request.method === 'GET') return response.end(JSON.stringify(seen));
  let body = '';
  for await (const chunk of request) body += chunk;
  seen.push({ webhookId: request.headers['webhook-id'], paymentId: JSON.parse(body).id });
  response.end();
}).listen(${receiverPort}, '0.0.0.0');
process.on('SIGTERM', () => process.exit());
`.replaceAll('\n', ' ');

/** What the receiver remembers of a webhook. */
export type SeenWebhook = { webhookId: string; paymentId: string };
