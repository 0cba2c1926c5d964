import { longestPassword, type PasswordFault, shortestPassword } from '@payments/domain/passwords';
import { textField } from '../../administration/kit/forms.ts';
import type { SafeHtml } from '../../pages/html.ts';

/** Words and fields of the pages where people prove who they are. */

/** Seconds to wait, if there were too many tries; else the reason for the refusal. */
export type Refusal = { waitSeconds: number } | { reason: string };

/** @returns the message for a person who must wait */
export function tooManyTries(waitSeconds: number): string {
  const count = waitSeconds < 60 ? waitSeconds : Math.ceil(waitSeconds / 60);
  const unit = waitSeconds < 60 ? 'segundo' : 'minuto';
  return `Muitas tentativas. Tente de novo em ${count} ${unit}${count === 1 ? '' : 's'}.`;
}

/** The message once too many codes were wrong. */
export const codesStopped =
  'Houve códigos errados demais, e os do aplicativo não entram mais. Use um código de recuperação, ou peça um convite novo. Se não foi você, alguém sabe a sua senha: troque-a.';

export const passwordFaults: Record<PasswordFault, string> = {
  too_short: `Use pelo menos ${shortestPassword} caracteres.`,
  too_long: `Use no máximo ${longestPassword} caracteres.`,
  like_the_person: 'A senha não pode ser o seu nome nem o seu e-mail.',
  common: 'Esta senha é uma das mais usadas, que são as primeiras que alguém tenta. Escolha outra.',
};

/** The field for a new password, with its rule. */
export function newPasswordField(label: string, error: string | undefined): SafeHtml {
  return textField({
    name: 'password',
    label,
    type: 'password',
    autocomplete: 'new-password',
    hint: `Pelo menos ${shortestPassword} caracteres; não o seu nome, o seu e-mail nem uma senha comum.`,
    error,
    required: true,
  });
}
