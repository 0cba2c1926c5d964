/** @returns an error's message, to be stored with the failed work */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
