import type { UpstreamFault } from '#core/spec'

/**
 * All that the sandbox knows of a job: it keeps none, so that any process over the database, also after a restart, finds each where it was.
 * Only the prompt and the pictures are asked for again when the bytes are made.
 */
export interface Job {
  /** Since 1970. */
  startedMs: number
  workMs: number
  seconds: number
  width: number
  height: number
  withAudio: boolean
  seed?: number
  mode?: 'guide' | 'frames'
  /** What the prompt ordered of failures; see `directives.ts`. */
  fault?: UpstreamFault | 'stall'
  faultAfter?: number
  job?: 'vanished' | 'stuck' | 'away'
  bytes?: 'wrong' | 'cut' | 'small' | 'mute'
  costMicrousd?: number
  tokenMs?: number
}

const prefix = 'sandbox-'

/** Some 400 characters at most: nothing in it is of any length. */
export const ticketOf = (job: Job): string => prefix + Buffer.from(JSON.stringify(job)).toString('base64url')

/** Undefined for what is no ticket of the sandbox. */
export function readTicket(id: string): Job | undefined {
  if (!id.startsWith(prefix)) return undefined
  try {
    const job = JSON.parse(Buffer.from(id.slice(prefix.length), 'base64url').toString()) as Partial<Job>
    return typeof job.startedMs === 'number' ? (job as Job) : undefined
  } catch {
    return undefined
  }
}
