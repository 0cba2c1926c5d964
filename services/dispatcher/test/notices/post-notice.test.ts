import type { SendResult } from '@payments/notices/sending';
import type { AttemptResult } from '@payments/webhooks/attempt-result';
import t from 'tap';
import { resultOf, signedRoute } from '../../src/notices/post-notice.ts';

const answered = (status: number): AttemptResult => ({
  outcome: 'answered',
  status,
  retryAfter: null,
  responseExcerpt: '',
  durationMs: 1,
});
const failed = (
  failure: Pick<Extract<AttemptResult, { outcome: 'failed' }>, 'stage' | 'code'>,
): AttemptResult => ({
  outcome: 'failed',
  durationMs: 1,
  ...failure,
});
const table: [attempt: AttemptResult, result: SendResult][] = [
  [answered(204), { state: 'sent' }],
  [answered(410), { state: 'refused', error: { code: 'answered', detail: '410' } }],
  [answered(404), { state: 'unknown', error: { code: 'answered', detail: '404' } }],
  [answered(500), { state: 'unknown', error: { code: 'answered', detail: '500' } }],
  [
    failed({ stage: 'connect', code: 'connection_refused' }),
    { state: 'not_sent', server: true, error: { code: 'unreachable' } },
  ],
  [
    failed({ stage: 'timeout', code: 'no_response_in_time' }),
    { state: 'unknown', error: { code: 'timeout' } },
  ],
  [
    failed({ stage: 'response', code: 'connection_reset' }),
    { state: 'unknown', error: { code: 'connection_lost' } },
  ],
];
for (const [attempt, result] of table) t.same(resultOf(attempt), result);

t.throws(() => signedRoute({ url: 'https://chat.example', secret: 'whsec_short' }), {
  name: 'ConfigurationError',
  message: /^NOTICES_SECRET: /,
});
