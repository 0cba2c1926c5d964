import type { Lease } from '@payments/database/claims';
import type { Database } from '@payments/database/connection';
import { type ClaimedMail, claimMails, claimPosts } from '@payments/database/notices/mails';
import { shareNotices } from '@payments/database/notices/share';
import { openSmtpSender } from '@payments/notices/mail/smtp-sender';
import { type MailRoute, mailRoute, postRoute } from '@payments/notices/settings';
import { withoutEndSlashes } from '@payments/runtime/addresses';
import { type Loop, startLoop } from '@payments/runtime/loop';
import type { ServiceContext } from '@payments/startup/foundation';
import type { DispatcherMetrics } from '../health.ts';
import type { DispatcherSettings } from '../settings.ts';
import { watchConditions } from './conditions.ts';
import { createPoster, type SignedRoute, signedRoute } from './post-notice.ts';
import { type Trying, tryMail } from './tries.ts';

export type NoticesOptions = {
  context: ServiceContext;
  metrics: DispatcherMetrics;
  settings: DispatcherSettings;
};

/** How notices leave; undefined where they do not. */
export type Routes = { mail: MailRoute | undefined; post: SignedRoute | undefined };

/** @throws ConfigurationError with the variable's name */
export function routesOf(settings: DispatcherSettings): Routes {
  const post = postRoute(settings);
  return { mail: mailRoute(settings), post: post && signedRoute(post) };
}

// The first mail leaves within half a minute of its fact, however slow the other scans are.
const longestIntervalMs = 5_000;
const sharedAtOnce = 500;
const triedAtOnce = 2;
// Longer than a try lasts, and its record.
const leaseMs = 60_000;

/**
 * Tells people and the platform's webhook what waits (Contract: notices).
 *
 * Promise: notices are never in the way of money. So each step has a loop of its own: one sees conditions, one shares
 * notices among mails, one sends mails, one posts. A mail server that hangs holds up two connections to itself, and no
 * other loop; nothing is locked, and no database connection is held, while it is waited for.
 * @throws ConfigurationError
 */
export function startNotices(options: NoticesOptions, routes: Routes): { stop(): Promise<void> } {
  const { context, metrics, settings } = options;
  const { db, log, now } = context;
  const intervalMs = Math.min(settings.SCAN_INTERVAL_SECONDS * 1_000, longestIntervalMs);
  const run = (name: string, turn: () => Promise<boolean>) =>
    startLoop({
      intervalMs,
      turn: async () => {
        // As with every scan: a wrong clock makes nothing due.
        if (!context.isClockBelieved()) return false;
        const more = await turn();
        metrics.scans.ran({ scan: name, bank: '' }, 'done');
        return more;
      },
      onError: (error) => {
        metrics.scans.ran({ scan: name, bank: '' }, 'failed');
        log.warn({ err: error, scan: name }, 'a scan failed; trying again');
      },
    });
  const senders: Loop[] = [];
  const sends = (name: string, to: 'people' | 'webhook', send: Trying['send']) => {
    const trying = tryingBy(options, to, send);
    const claim = to === 'people' ? claimsInTurn(db) : (lease: Lease) => claimPosts(db, lease);
    const turn = async () => {
      const mails = await claim({ limit: triedAtOnce, leaseMs, now: now() });
      const away = await Promise.all(mails.map((mail) => tryMail(trying, mail)));
      return mails.length > 0 && !away.includes(true);
    };
    senders.push(run(name, turn));
  };
  const sender = routes.mail && openSmtpSender(routes.mail);
  if (sender)
    sends('mails', 'people', ({ id, recipient: to }, { rendered: { subject, text, html } }) =>
      sender.send({ id, to, subject, text, html }),
    );
  const poster = routes.post && createPoster(routes.post, { now, timeoutMs: settings.WEBHOOK_TIMEOUT_MS });
  if (poster) sends('notice-posts', 'webhook', poster.post);
  const sharing = run(
    'notices',
    shareNew(options, routes, () => {
      for (const sender of senders) sender.wake();
    }),
  );
  const watch = watchConditions(context);
  const watching = run('conditions', async () => {
    const isNew = await watch();
    if (isNew) sharing.wake();
    return isNew;
  });
  return {
    stop: async () => {
      const stopped = [watching, sharing, ...senders].map((loop) => loop.stop());
      // A loop waits for its tries, and a mail server may hang.
      await Promise.all([...stopped, sender?.close()]);
      await poster?.close();
    },
  };
}

/** @returns a claim of mails that goes on with the next persons each time, and begins anew after the last one */
function claimsInTurn(db: Database): (lease: Lease) => Promise<ClaimedMail[]> {
  let after: string | null = null;
  const next = async (lease: Lease): Promise<ClaimedMail[]> => {
    const isRest = after !== null;
    const mails = await claimMails(db, { ...lease, after });
    const people = mails.map(({ accountId }) => accountId);
    after = people.sort().at(-1) ?? null;
    return mails.length === 0 && isRest ? next(lease) : mails;
  };
  return next;
}

/** @returns a turn that shares what is new */
function shareNew({ context: { db, now }, settings }: NoticesOptions, routes: Routes, onShared: () => void) {
  const channels = {
    toPeople: routes.mail !== undefined,
    toWebhook: routes.post ? new URL(routes.post.url).host : null,
  };
  const collectMs = settings.NOTICES_COLLECT_SECONDS * 1_000;
  return async () => {
    const shared = await shareNotices(db, { ...channels, limit: sharedAtOnce, now, collectMs });
    if (shared > 0) onShared();
    return shared === sharedAtOnce;
  };
}

function tryingBy(
  { context, metrics, settings }: NoticesOptions,
  to: 'people' | 'webhook',
  send: Trying['send'],
): Trying {
  const { db, now, secrets } = context;
  const panelUrl = withoutEndSlashes(settings.ADMIN_URL ?? settings.PUBLIC_URL);
  const surroundings = { panelUrl, reviewTimeoutSeconds: settings.REVIEW_TIMEOUT_SECONDS };
  const onTried: Trying['onTried'] = (result) => metrics.mailTried({ to, result });
  return { db, now, secrets, surroundings, send, onTried };
}
