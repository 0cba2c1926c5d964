import { longestPassword, type PasswordFault, shortestPassword } from '@payments/domain/passwords';
import { textField } from '../../administration/kit/fields.ts';
import type { SafeHtml } from '../../pages/html.ts';

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
