import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { script } from './page-script.ts';
import { style } from './page-style.ts';

/** The payer's page, in Portuguese like the panel. */
export const html = `<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Pagar um Pix · Banco simulado</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
  <h1>Pagar um Pix</h1>
  <p class="muted">Este banco é simulado: nenhum dinheiro se move. Cole o código Pix copia e cola de um pagamento.</p>
  <form id="form" class="card">
    <label for="code">Pix copia e cola
      <textarea id="code" rows="5" autofocus placeholder="00020101…"></textarea></label>
    <dl id="says"></dl>
    <label for="amount">Valor em reais
      <input type="text" id="amount" inputmode="decimal" autocomplete="off" aria-describedby="amount-hint"></label>
    <p class="muted" id="amount-hint">Em branco: o valor da cobrança.</p>
    <label class="check"><input type="checkbox" id="late"> Pagar com data depois do vencimento</label>
    <button id="pay" disabled>Pagar</button>
    <p id="note" role="status"></p>
  </form>
</main>
<script>${script}</script>
</body>
</html>
`;

const digest = createHash('sha256').update(script).digest('base64');
const policy = `default-src 'none'; script-src 'sha256-${digest}'; style-src 'unsafe-inline'; connect-src 'self'`;

/** `/`: the payer's side as a page. Paste a code, see what it says, pay it. */
export function page(app: FastifyInstance): void {
  app.get('/', async (_request, reply) => {
    return reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(html);
  });
}
