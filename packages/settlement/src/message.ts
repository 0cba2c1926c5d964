/** @returns what an error says, to be stored with the work that failed */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
