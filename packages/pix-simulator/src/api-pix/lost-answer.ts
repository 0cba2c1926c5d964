import { Problem } from '../problem.ts';

/** What a gateway says when the bank behind it did the work and then fell over. */
export function lostAnswer(): Problem {
  return new Problem(500, 'ErroInternoDoServidor', 'Condição inesperada ao processar requisição.');
}
