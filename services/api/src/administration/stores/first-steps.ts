import { html, type SafeHtml } from '../../pages/html.ts';
import { copyable } from '../kit/parts.ts';
import type { IssuedToken } from './issue-token.ts';

type FirstSteps = { publicUrl: string; issued?: IssuedToken | undefined };

/** The way from a token to a paid charge, with lines to copy. */
export function firstSteps({ publicUrl, issued }: FirstSteps): SafeHtml {
  const url = `${publicUrl}/api-public/payments`;
  const authorization = `-H 'Authorization: Bearer ${issued?.token ?? 'SEU_TOKEN'}'`;
  const create = `curl ${url} ${authorization} -H 'Content-Type: application/json' -d '{"amount": 10}'`;
  const read = `curl ${url}/ID_DO_PAGAMENTO ${authorization}`;
  return html`<section class="card" id="first-steps"><h2>Primeiros passos</h2>
    <ol class="steps">
      <li><p>Crie um pagamento de R$ 10,00:</p>${copyable('Comando que cria um pagamento', create)}</li>
      <li><p>Mostre ao cliente o <code>qrCodeUrl</code> ou o <code>qrCopyPaste</code> da resposta.</p></li>
      <li><p>Leia o status do pagamento:</p>${copyable('Comando que lê um pagamento', read)}</li>
      <li><p>Receba cada mudança de status por webhook: envie uma <code>webhookUrl</code> na criação e teste-a abaixo.</p></li>
    </ol>
    <p class="muted">Endereço da API: <code class="wrap">${publicUrl}</code>. <a href="${publicUrl}/docs">Documentação</a></p></section>`;
}
