import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problem.ts';

/** What a gateway says when the bank behind it did the work and then fell over. */
export function lostAnswer(): Problem {
  return new Problem(500, 'ErroInternoDoServidor', 'Condição inesperada ao processar requisição.');
}

/** What a client sees when the network fails after the bank did the work. */
export function cutConnection(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  request.raw.socket.destroy();
  return reply;
}
