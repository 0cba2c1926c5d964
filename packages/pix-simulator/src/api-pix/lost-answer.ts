import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problem.ts';

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
