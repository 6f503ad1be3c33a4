import type { CallRecordsApp } from '../app.ts'
import { paths } from './messages.ts'

const withinMs = 2_000

/** Ends a call of another process at once. Returns false where that process is not reached, or has no such call. */
export async function endAtHost(
  { realtime, log }: Pick<CallRecordsApp, 'log' | 'realtime'>,
  processId: string,
  callId: string,
): Promise<boolean> {
  try {
    const host = await realtime.hosts.findHost(processId)
    if (!host) return false
    const text = await realtime.hosts.post(
      host,
      paths.end,
      JSON.stringify({ callId }),
      AbortSignal.timeout(withinMs),
    )
    return text !== undefined && (JSON.parse(text) as { ended: boolean }).ended
  } catch (error) {
    log.warn({ err: error }, 'a call could not be ended at its process; it is at its next tick')
    return false
  }
}
