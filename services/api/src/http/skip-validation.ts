/**
 * For routes whose schemas only document. The functions that read the request validate it, with the contract's
 * messages (Contract: validation).
 */
export const skipValidation = { validatorCompiler: () => () => true };
