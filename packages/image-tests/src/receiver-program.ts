/** The port of the receiver beside the services. */
export const receiverPort = 8090;

/** A store's receiver, run with `node -e` in one of our images. It keeps webhooks and lists them. */
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

/** The receiver's record of a webhook. */
export type SeenWebhook = { webhookId: string; paymentId: string };
