/** The reason why the system did not start: one line for the developer. */
export class StartError extends Error {
  override name = 'StartError';
}
