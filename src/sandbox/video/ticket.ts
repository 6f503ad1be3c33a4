import type { UpstreamFault } from '#core/spec'

/**
 * All that the sandbox knows of a job, which its ticket holds: the sandbox keeps no job, so that any process over the database, also after a restart,
 * finds each where it was. Only the prompt and the pictures are requested again when the bytes are made.
 */
export interface VideoTicketState {
  /** The start of the job, in milliseconds since 1970. */
  startedMs: number
  workMs: number
  seconds: number
  width: number
  height: number
  withAudio: boolean
  seed?: number
  mode?: 'guide' | 'frames'
  /** The failures that the prompt ordered; see `directives.ts`. */
  fault?: UpstreamFault | 'stall'
  faultAfter?: number
  job?: 'vanished' | 'stuck' | 'away'
  bytes?: 'wrong' | 'cut' | 'small' | 'mute'
  costMicrousd?: number
  tokenMs?: number
}

const prefix = 'sandbox-'

/** The ticket of a job, of some 400 characters at most: nothing in it can grow. */
export const ticketOf = (job: VideoTicketState): string =>
  prefix + Buffer.from(JSON.stringify(job)).toString('base64url')

/** The job of a ticket; undefined for an id that is no ticket of the sandbox. */
export function readTicket(id: string): VideoTicketState | undefined {
  if (!id.startsWith(prefix)) return undefined
  try {
    const job = JSON.parse(
      Buffer.from(id.slice(prefix.length), 'base64url').toString(),
    ) as Partial<VideoTicketState>
    return typeof job.startedMs === 'number' ? (job as VideoTicketState) : undefined
  } catch {
    return undefined
  }
}
