import t from 'tap';
import { ApiError, ConnectionError } from '../src/errors.ts';
import { pauseBefore } from '../src/request.ts';

const answered = (statusCode: number, retryAfter?: number) => new ApiError(statusCode, '', { retryAfter });
const broken = new ConnectionError('');

t.test('a temporary failure is retried, later each time', async (t) => {
  const cases: [what: string, error: unknown, failures: number, chance: number, pause: number | undefined][] =
    [
      ['a broken connection', broken, 1, 1, 250],
      ['half of it by chance', broken, 1, 0, 125],
      ['twice as long', broken, 2, 1, 500],
      ['at most eight seconds', broken, 9, 1, 8_000],
      ['no more than so often', broken, 11, 1, undefined],
      ['503', answered(503), 1, 1, 250],
      ['as Retry-After asks', answered(503, 2), 1, 1, 2_000],
      ['later than Retry-After asks', answered(429, 1), 9, 1, 8_000],
      ['not for longer than anyone waits', answered(429, 61), 1, 1, undefined],
      ['500', answered(500), 1, 1, 250],
      ['408', answered(408), 1, 1, 250],
      ['not 400', answered(400), 1, 1, undefined],
      ['not 401', answered(401), 1, 1, undefined],
      ['not 422', answered(422), 1, 1, undefined],
      ['not a mistake of the program', new TypeError(), 1, 1, undefined],
    ];
  for (const [what, error, failures, chance, pause] of cases)
    t.equal(pauseBefore(error, { failures, retries: 10, chance }), pause, what);
});
