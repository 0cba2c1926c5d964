import { Problem } from './problem.ts';

/** Counts calls in the last minute, and refuses what is over the bank's limit. */
export function createLimit(perMinute: number | null, now: () => number): () => void {
  const calls: number[] = [];
  return () => {
    if (perMinute === null) return;
    const at = now();
    while (calls[0] !== undefined && calls[0] <= at - 60_000) calls.shift();
    if (calls.length >= perMinute)
      throw new Problem(429, 'RequisicaoInvalida', 'Limite de requisições excedido.');
    calls.push(at);
  };
}
