/**
 * A command that runs Node as a user would. The test runner loads its hooks into every Node that a test starts, by
 * its environment: they slow it down, and break what is not prepared for them.
 * @param args Node's arguments
 * @returns the program and its arguments, for `spawn`
 */
export function plainNode(args: string[]): [program: string, args: string[]] {
  return ['env', ['-u', 'NODE_OPTIONS', process.execPath, ...args]];
}
