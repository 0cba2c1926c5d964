/**
 * For routes whose schemas only describe: what the request holds is judged by the functions that read it, which answer
 * in the contract's words (Contract: validation).
 */
export const skipValidation = { validatorCompiler: () => () => true };
