import { formatBrl } from '../page/money.ts';

/** A field that was found wrong, and what to tell the person who filled it in. */
export type FieldError = { field: string; message: string };

const sentences: [RegExp, (value: string, isMoney: boolean) => string][] = [
  [/^should not be empty$|^must be longer than or equal to 1 /, () => 'Não pode ficar em branco.'],
  [/^must be shorter than or equal to (\d+) /, (limit) => `Pode ter no máximo ${limit} caracteres.`],
  [/^must not be less than ([\d.]+)$/, (limit, isMoney) => `Deve ser no mínimo ${amount(limit, isMoney)}.`],
  [
    /^must not be greater than ([\d.]+)$/,
    (limit, isMoney) => `Deve ser no máximo ${amount(limit, isMoney)}.`,
  ],
  [/^must be a number/, (_, isMoney) => `Escreva um número, como ${isMoney ? '10,00' : '1,5'}.`],
  [
    /^must have at most (two|four)/,
    (n) => `Pode ter no máximo ${n === 'two' ? 'duas' : 'quatro'} casas decimais.`,
  ],
  [/^must not contain null/, () => 'Contém um caractere que não pode ser gravado.'],
  [/^must be an email$/, () => 'Escreva um e-mail, como nome@exemplo.com.br.'],
  [/^must be a URL$/, () => 'Escreva um endereço que comece com https:// e aceite webhooks.'],
  [/^must be a valid ISO 8601/, () => 'Escreva uma data e uma hora válidas.'],
];

/**
 * Says in Portuguese what is wrong with a field. The rules and their messages are the API's own; only the words are
 * ours.
 * @param message such as `maxAmount must not be less than 5`
 */
export function inPortuguese(message: string): FieldError {
  if (message.startsWith('Valor ')) return { field: 'amount', message };
  const [field = '', ...words] = message.split(' ');
  const rule = words.join(' ');
  for (const [pattern, sentence] of sentences) {
    const match = pattern.exec(rule);
    if (match) return { field, message: sentence(match[1] ?? '', field !== 'feePercent') };
  }
  return { field, message: 'Valor inválido.' };
}

function amount(limit: string, isMoney: boolean): string {
  return isMoney ? formatBrl(Math.round(Number(limit) * 100)) : `${limit.replace('.', ',')} %`;
}
