/** Work that takes longer than a request is durable work. */

import type { FailureCode } from '#platform/errors'
import { Accepted, FileIds } from '#work/runs'

export { acceptRun as startWork } from '#work/runs'

/** The body of the 202. */
export const WorkRun = Accepted
/** Stored files that it reads. */
export const WorkFiles = FileIds
/** What it may be refused with, beside what any paid call may. */
export const workFailures: FailureCode[] = ['TOO_MANY_RUNS', 'KNOWLEDGE_NOT_FOUND', 'FILE_NOT_FOUND']
