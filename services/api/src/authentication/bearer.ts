/**
 * Reads `Authorization: Bearer <token>`.
 * @returns the token, or undefined where the header is missing, has another scheme, or nothing behind it (Contract: bearer token)
 */
export function bearerToken(header: string | undefined): string | undefined {
  const match = /^bearer +(\S.*)$/i.exec(header?.trim() ?? '');
  return match?.[1]?.trim();
}
