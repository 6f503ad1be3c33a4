/** Starts work that takes longer than a request, as durable work. */

import type { FailureCode } from '#platform/errors'
import { AcceptedRun, FileIds } from '#work/runs'

export { acceptRun as startWork } from '#work/runs'

/** The body of the answer with status 202. */
export const WorkRun = AcceptedRun
/** Stored files that the work reads. */
export const WorkFiles = FileIds
/** Errors of starting work, in addition to those of any paid call. */
export const workFailures: FailureCode[] = ['TOO_MANY_RUNS', 'KNOWLEDGE_NOT_FOUND', 'FILE_NOT_FOUND']
