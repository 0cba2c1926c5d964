import type { AttackedMail, MailBehaviour } from '../mail/mail.ts';
import type { Fault, Undo } from './fault.ts';
import { frozen, killed } from './processes.ts';

export const receiverFaults: Fault[] = [
  {
    name: 'receivers-down',
    lasts: [2, 6],
    targets: ({ receivers }) => [
      {
        name: 'receivers',
        kind: 'receivers',
        hit: async (): Promise<Undo> => {
          receivers.fail(true);
          return async () => receivers.fail(false);
        },
      },
    ],
  },
];

const onMail = (name: string, lasts: Fault['lasts'], hit: (mail: AttackedMail) => Promise<Undo>): Fault => ({
  name: `mail-${name}`,
  lasts,
  targets: ({ system: { mail } }) => [{ name: 'mail', kind: 'mail', hit: () => hit(mail) }],
});

const behaving =
  (behaviour: MailBehaviour) =>
  async (mail: AttackedMail): Promise<Undo> => {
    await mail.behave(behaviour);
    return () => mail.behave('takes');
  };

/** The mail server and the platform's webhook fail. Nothing else may suffer, and people are told all the same. */
export const mailFaults: Fault[] = [
  onMail('killed', [1, 5], killed),
  // Frozen: the system still takes connections for it, and nobody says a word.
  onMail('hanging', [3, 12], frozen),
  onMail('refuses', [2, 8], behaving('refuses')),
  onMail('loses-answers', [2, 8], behaving('loses-answers')),
];
