import t from 'tap';
import { type DeliveryError, deliveryErrorText } from '../src/delivery-error.ts';

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
