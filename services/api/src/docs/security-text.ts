import type { FastifyInstance } from 'fastify';

type SecurityOptions = { url: string; securityContact?: string | undefined; now: () => Date };

const daysOfTrust = 90;
const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Serves `/.well-known/security.txt` (RFC 9116): to whom a vulnerability is reported. Without `SECURITY_CONTACT` that is
 * the page `/docs/security`, which names support.
 *
 * `Expires` is 90 days after the day of the answer, by no date in a file that somebody must remember to move: a running
 * service says what its settings say today, and one that runs no more says nothing. A copy that somebody keeps grows old
 * after 90 days, well within the year that the RFC recommends.
 */
export function securityText(app: FastifyInstance, { url, securityContact, now }: SecurityOptions): void {
  const address = url.replace(/\/$/, '');
  app.get('/.well-known/security.txt', { schema: { hide: true } }, async (_request, reply) => {
    const today = Math.floor(now().getTime() / dayMs) * dayMs;
    const fields = {
      Contact: securityContact ?? `${address}/docs/security`,
      Expires: new Date(today + daysOfTrust * dayMs).toISOString().replace('.000Z', 'Z'),
      'Preferred-Languages': 'en, pt',
      Canonical: `${address}/.well-known/security.txt`,
      Policy: `${address}/docs/security`,
    };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
    return reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', 'public, max-age=86400')
      .send(lines.join(''));
  });
}
