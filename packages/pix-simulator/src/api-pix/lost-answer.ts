import { Problem } from '../problem.ts';

/** A gateway's answer when the bank did the work and then failed. */
export function lostAnswer(): Problem {
  return new Problem(500, 'ErroInternoDoServidor', 'Condição inesperada ao processar requisição.');
}
