import type { UpstreamFault } from '#providers/spec'

/**
 * All that the sandbox knows of a job: it keeps none, so that any process over the database, also after a restart, finds each where it was.
 * Only the whole prompt and the pictures are asked for again when the bytes are made.
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
  /** The beginning of the prompt, for an engine that does not give the order again. */
  title: string
  /** What the prompt ordered of failures; see `directives.ts`. */
  fault?: UpstreamFault | 'stall'
  faultAfter?: number
  job?: 'vanished' | 'stuck' | 'away'
  bytes?: 'wrong' | 'cut' | 'small' | 'mute'
  costMicrousd?: number
  tokenMs?: number
}

const prefix = 'sandbox-'
const maxTicket = 500

/** At most 500 characters. */
export function ticketOf(job: Job): string {
  for (let title = Array.from(job.title).slice(0, 60); ; title = title.slice(0, -1)) {
    const text = JSON.stringify({ ...job, title: title.join('') })
    const ticket = prefix + Buffer.from(text).toString('base64url')
    if (ticket.length <= maxTicket || title.length === 0) return ticket
  }
}

/** Undefined for what is no ticket of the sandbox. */
export function readTicket(id: string): Job | undefined {
  if (!id.startsWith(prefix)) return undefined
  try {
    const job = JSON.parse(Buffer.from(id.slice(prefix.length), 'base64url').toString()) as Job
    return typeof job.startedMs === 'number' && typeof job.title === 'string' ? job : undefined
  } catch {
    return undefined
  }
}
