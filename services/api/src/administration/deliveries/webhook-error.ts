import { stageName } from '../payments/names.ts';

// The sender's words for a failed attempt (see `SendFailure`).
const words: Record<string, string> = {
  'not allowed': 'endereço interno',
  'sender is closed': 'o serviço estava parando',
  'not a URL': 'não é uma URL',
  'not an http or https URL': 'não é http nem https',
  'plain http is not allowed': 'http sem criptografia não é permitido',
  'user or password in URL': 'usuário ou senha na URL',
  'name could not be resolved': 'o nome não pôde ser resolvido',
  'name has no address': 'o nome não tem endereço',
  'name not found': 'o nome não existe',
  'connection refused': 'conexão recusada',
  'connection reset': 'conexão interrompida',
  'connection closed': 'conexão encerrada',
  'connection timed out': 'sem resposta à conexão',
  'host unreachable': 'endereço inalcançável',
  'network unreachable': 'rede inalcançável',
  'not an HTTP response': 'a resposta não é HTTP',
  'headers too large': 'cabeçalhos grandes demais',
  'response too long': 'resposta longa demais',
  'not connected in time': 'não conectou a tempo',
  'no response in time': 'não respondeu a tempo',
  'response not complete in time': 'a resposta não terminou a tempo',
  'the webhook could not be signed': 'o webhook não pôde ser assinado',
};

/** @returns why an attempt of a webhook failed, in Portuguese; a system's error code stays as it is */
export function webhookError(error: string): string {
  const [, status] = /^status (\d{3})$/.exec(error) ?? [];
  if (status) return `Respondeu HTTP ${status}`;
  const [, stage = '', what = ''] = /^(\w+): (.+)$/s.exec(error) ?? [];
  if (stage === 'lost') return 'A tentativa se perdeu com o processo que a fazia.';
  const name = stage === '' ? '' : stageName(stage);
  return name === '' || name === stage ? failureWords(error) : `${name}: ${failureWords(what)}`;
}

export const failureWords = (text: string): string => words[text] ?? text;
