import t from 'tap';
import { type DeliveryError, type DeliveryErrorCode, deliveryErrorText } from '../src/delivery-error.ts';

t.test('an attempt’s error in English, for programs and logs', async (t) => {
  const table: [error: DeliveryError, text: string][] = [
    [{ stage: null, code: 'status', detail: '500' }, 'status 500'],
    [{ stage: 'connect', code: 'connection_refused' }, 'connect: connection refused'],
    [{ stage: 'response', code: 'connection_reset' }, 'response: connection reset'],
    [{ stage: 'address', code: 'not_allowed' }, 'address: not allowed'],
    [{ stage: 'timeout', code: 'no_response_in_time' }, 'timeout: no response in time'],
    [{ stage: 'tls', code: 'system', detail: 'CERT_HAS_EXPIRED' }, 'tls: CERT_HAS_EXPIRED'],
    [{ stage: 'dns', code: 'failed' }, 'dns: failed'],
    [{ stage: 'signature', code: 'unsigned' }, 'signature: the webhook could not be signed'],
    [{ stage: 'lost', code: 'lost' }, 'the process that made this attempt disappeared'],
    [
      { stage: 'lost', code: 'abandoned' },
      'lost: the processes that attempted it disappeared; it is not attempted again',
    ],
  ];
  for (const [error, text] of table) t.equal(deliveryErrorText(error), text);
});

// The type keeps the list whole.
const codes: Record<DeliveryErrorCode, 'has words' | 'is said by the detail'> = {
  unsigned: 'has words',
  not_a_url: 'has words',
  not_http: 'has words',
  plain_http: 'has words',
  credentials_in_url: 'has words',
  not_allowed: 'has words',
  name_unresolved: 'has words',
  name_without_address: 'has words',
  name_not_found: 'has words',
  connection_refused: 'has words',
  connection_reset: 'has words',
  connection_closed: 'has words',
  connection_timed_out: 'has words',
  host_unreachable: 'has words',
  network_unreachable: 'has words',
  sender_closed: 'has words',
  not_connected_in_time: 'has words',
  no_response_in_time: 'has words',
  response_incomplete: 'has words',
  response_too_long: 'has words',
  headers_too_large: 'has words',
  not_http_response: 'has words',
  failed: 'has words',
  system: 'is said by the detail',
  status: 'has words',
  lost: 'has words',
  abandoned: 'has words',
};

t.test('every code has words of its own, or is said by its detail', async (t) => {
  const texts = Object.entries(codes).map(([code, says]) => {
    const text = deliveryErrorText({ stage: null, code: code as DeliveryErrorCode });
    t.equal(text === '', says === 'is said by the detail', code);
    return text;
  });
  t.equal(new Set(texts).size, texts.length, 'no two share their words');
});
