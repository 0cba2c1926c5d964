/** What looks like a secret or personal data wherever it stands: tokens, webhook secrets, credentials, e-mails. */
const patterns: [clue: string, pattern: RegExp][] = [
  ['pp_', /\bpp_[\w-]{20,}/g],
  ['whsec_', /\bwhsec_[\w+/=-]+/g],
  ['earer ', /\b(Bearer) [\w.~+/=-]{6,}/gi],
  ['asic ', /\b(Basic) [\w+/=]{6,}/gi],
  ['://', /(:\/\/)[^\s/@"\\]{1,200}@/g],
  ['@', /[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g],
];

/**
 * The last guard before a line is written: whatever a message of some library repeats. Each pattern is only tried
 * where a clue of it occurs, since every line passes here.
 */
export function withoutSecretText(line: string): string {
  let clean = line;
  for (const [clue, pattern] of patterns) {
    if (clean.includes(clue)) clean = clean.replace(pattern, replacement);
  }
  return clean;
}

function replacement(_found: string, kept: unknown): string {
  // What a pattern keeps says what was cut out: `Bearer`, `://`.
  if (kept === '://') return '://[redacted]@';
  return typeof kept === 'string' ? `${kept} [redacted]` : '[redacted]';
}
