import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@payments/local-servers/free-port';
import { call } from '@payments/testing/http';
import { createReplica, type Replica } from '@payments/testing/replica';

/** A mail, or a post to the platform's webhook, that was taken. */
export type SeenMail = {
  /** The Message-ID, or the `webhook-id`. */
  id: string;
  /** An address, or `webhook`. */
  to: string;
  /** A post has its kind here. */
  subject: string;
  text: string;
  at: number;
};

/** `refuses`: for now, not for good. `loses-answers`: it takes a mail, and cuts the connection without saying so. */
export type MailBehaviour = 'takes' | 'refuses' | 'loses-answers';

/** The process that mails and posts of notices go to. */
export type AttackedMail = Replica & {
  /** The services' settings that lead there. */
  env: Record<string, string>;
  behave(behaviour: MailBehaviour): Promise<void>;
  /** All that it has taken, in order. */
  taken(): SeenMail[];
};

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Creates the process, without starting it. */
export async function createMail(dir: string, onCrash: (line: string) => void): Promise<AttackedMail> {
  const [smtpPort, file] = [await freePort(), join(dir, 'mails.journal')];
  const replica = await createReplica({
    name: 'mail',
    module: fileURLToPath(new URL('main.ts', import.meta.url)),
    env: { SMTP_PORT: String(smtpPort), DATA_FILE: file, SECRET: secret },
    readyPath: '/health',
    onCrash,
  });
  const url = `http://127.0.0.1:${replica.port}`;
  return {
    ...replica,
    env: {
      SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
      MAIL_FROM: 'pix@example.com',
      NOTICES_URL: `${url}/notices`,
      NOTICES_SECRET: secret,
      NOTICES_COLLECT_SECONDS: '1',
    },
    behave: (behaviour) => call(`${url}/behaviour`, { body: { behaviour } }).then(() => {}),
    // A line that a kill has cut off was not acknowledged.
    taken: () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []).flatMap(seenIn),
  };
}

function seenIn(line: string): SeenMail[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
