/**
 * Reads `Authorization: Bearer <token>`.
 * @returns the token, or undefined without a bearer token in the header (Contract: bearer token)
 */
export function bearerToken(header: string | undefined): string | undefined {
  const match = /^bearer +(\S.*)$/i.exec(header?.trim() ?? '');
  return match?.[1]?.trim();
}
