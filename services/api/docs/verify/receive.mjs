// Save as receive.mjs beside verify.ts, then run: WEBHOOK_SECRET=whsec_… node receive.mjs
// Needs Node 22.18 or later.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyWebhook } from './verify.ts';

const port = Number(process.env.PORT ?? 8000);

createServer(async (request, response) => {
  try {
    const body = await text(request);
    const event = verifyWebhook(process.env.WEBHOOK_SECRET, request.headers, body);
    console.log(event.event, event.status);
  } catch (error) {
    console.log(error.message);
    response.statusCode = 401;
  }
  response.end();
}).listen(port, () => console.log(`Listening at port ${port}`));
