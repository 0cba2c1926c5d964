import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { takeCallFault } from '../faults.ts';
import { Problem } from '../problem.ts';

/** Applies faults to calls of the API Pix: first latency, then no answer, a cut connection or an error. */
export function sufferFaults(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const { apiPix } = request.routeOptions.config;
    if (!apiPix) return;
    const fault = takeCallFault(app.bank.faults, apiPix.operation);
    if (fault.latencyMs > 0) await sleep(fault.latencyMs);
    if (fault.instead === 'status') {
      throw new Problem(fault.status, nameOf(fault.status), 'Falha pedida em /bank/faults.');
    }
    if (fault.instead === null) return;
    reply.hijack();
    if (fault.instead === 'disconnect') request.raw.socket.destroy();
    else app.bank.hanging.add(request.raw.socket);
  });

  // A closing server waits for its connections, and these would never end.
  app.addHook('preClose', async () => {
    for (const socket of app.bank.hanging) socket.destroy();
  });
}

function nameOf(status: number): string {
  if (status === 503) return 'ServicoIndisponivel';
  if (status === 401 || status === 403) return 'AcessoNegado';
  return status < 500 ? 'RequisicaoInvalida' : 'ErroInternoDoServidor';
}

/** A gateway's answer when the bank did the work and then failed. */
export function lostAnswer(): Problem {
  return new Problem(500, 'ErroInternoDoServidor', 'Condição inesperada ao processar requisição.');
}

/** The client's view when the network fails after the bank did the work. */
export function cutConnection(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  request.raw.socket.destroy();
  return reply;
}
