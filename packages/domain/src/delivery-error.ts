/**
 * Where an attempt failed: the signature, which our own keys could not make, so that nothing was sent; the URL, a
 * forbidden address, DNS, TCP, TLS, the total deadline, or a response that broke off or was not HTTP.
 */
export type FailedStage =
  | 'signature'
  | 'url'
  | 'address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'response';

const sendErrors = {
  unsigned: 'the webhook could not be signed',
  not_a_url: 'not a URL',
  not_http: 'not an http or https URL',
  plain_http: 'plain http is not allowed',
  credentials_in_url: 'user or password in URL',
  not_allowed: 'not allowed',
  name_unresolved: 'name could not be resolved',
  name_without_address: 'name has no address',
  name_not_found: 'name not found',
  connection_refused: 'connection refused',
  connection_reset: 'connection reset',
  connection_closed: 'connection closed',
  connection_timed_out: 'connection timed out',
  host_unreachable: 'host unreachable',
  network_unreachable: 'network unreachable',
  sender_closed: 'sender is closed',
  not_connected_in_time: 'not connected in time',
  no_response_in_time: 'no response in time',
  response_incomplete: 'response not complete in time',
  response_too_long: 'response too long',
  headers_too_large: 'headers too large',
  not_http_response: 'not an HTTP response',
  failed: 'failed',
  /** Only the system's own code is known: it is the detail. */
  system: '',
};

const errors = {
  ...sendErrors,
  /** The receiver's response is no success: its HTTP status is the detail. */
  status: 'status ',
  /** The process that made the attempt disappeared. */
  lost: 'the process that made this attempt disappeared',
  /** So many attempts were lost that no other is made. */
  abandoned: 'lost: the processes that attempted it disappeared; it is not attempted again',
};

/** Why a request got no response. */
export type SendErrorCode = keyof typeof sendErrors;
export type DeliveryErrorCode = keyof typeof errors;

/**
 * Why an attempt of a webhook failed, as it is stored. It is short, without addresses and secrets: the store may see it.
 * `stage` is null if the receiver responded.
 */
export type DeliveryError = { stage: FailedStage | 'lost' | null; code: DeliveryErrorCode; detail?: string };

/** @returns the error in English, for the administration's API and the logs */
export function deliveryErrorText({ stage, code, detail = '' }: DeliveryError): string {
  const place = stage === null || stage === 'lost' ? '' : `${stage}: `;
  return `${place}${errors[code]}${detail}`;
}
