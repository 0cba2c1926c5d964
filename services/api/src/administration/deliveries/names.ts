import type { DeliveryError, DeliveryErrorCode, FailedStage } from '@payments/domain/delivery-error';

/** Why an attempt of a webhook failed, in the panel's words. The compiler finds a stage or a code without words. */

const stages: Record<FailedStage, string> = {
  signature: 'Falha na assinatura',
  url: 'URL inválida',
  address: 'Endereço não permitido',
  dns: 'Nome não encontrado',
  connect: 'Não foi possível conectar',
  tls: 'Falha no TLS',
  timeout: 'Tempo esgotado',
  response: 'Resposta inválida',
};

const lost = 'A tentativa se perdeu com o processo que a fazia.';

const words: Record<DeliveryErrorCode, string> = {
  unsigned: 'o webhook não pôde ser assinado',
  not_a_url: 'não é uma URL',
  not_http: 'não é http nem https',
  plain_http: 'http sem criptografia não é permitido',
  credentials_in_url: 'usuário ou senha na URL',
  not_allowed: 'endereço interno',
  name_unresolved: 'o nome não pôde ser resolvido',
  name_without_address: 'o nome não tem endereço',
  name_not_found: 'o nome não existe',
  connection_refused: 'conexão recusada',
  connection_reset: 'conexão interrompida',
  connection_closed: 'conexão encerrada',
  connection_timed_out: 'sem resposta à conexão',
  host_unreachable: 'endereço inalcançável',
  network_unreachable: 'rede inalcançável',
  sender_closed: 'o serviço estava parando',
  not_connected_in_time: 'não conectou a tempo',
  no_response_in_time: 'não respondeu a tempo',
  response_incomplete: 'a resposta não terminou a tempo',
  response_too_long: 'resposta longa demais',
  headers_too_large: 'cabeçalhos grandes demais',
  not_http_response: 'a resposta não é HTTP',
  failed: 'falhou',
  system: '',
  status: 'Respondeu HTTP ',
  lost,
  abandoned: lost,
};

export const stageName = (stage: FailedStage): string => stages[stage];

/** @returns the failure without its stage; a system's error code stays as it is */
export const failureName = ({ code, detail = '' }: Pick<DeliveryError, 'code' | 'detail'>): string =>
  `${words[code]}${detail}`;

/** @returns why an attempt failed, with its stage */
export function deliveryErrorName(error: DeliveryError): string {
  const { stage } = error;
  const what = failureName(error);
  return stage === null || stage === 'lost' ? what : `${stageName(stage)}: ${what}`;
}
