/**
 * Processor time that test files may take, in seconds on the reference machine (factor.ts), with that of the processes they start and without
 * that of the PostgreSQL that all files share. A file that takes more than twice its budget fails the run.
 */

/** Of a file that is not listed. */
export const defaultSeconds = 4

/** Of a whole suite, PostgreSQL and browsers included; a run that takes more than a tenth beyond it fails. */
export const suiteSeconds: Record<string, number> = { quick: 150, test: 600 }

/** Larger budgets, each with its reason. Files of the campaign have none: a folder's minutes stand in its `proves.ts`. */
export const largerBudgets: Record<string, readonly [seconds: number, reason: string]> = {}
