/** What the events of both connections have in common: the connection of our own session, and the side connection of a call. */

import { type RealtimeEnd, UpstreamError } from '#core/spec'
import { faultOfError, isRecord, type UpstreamEvent } from '#providers/kit'
import { usageIn } from './usage.ts'

const maxId = 200

/** How a response ended, read from `response` of response.done. */
export function endIn(response: unknown, secrets: readonly string[]): RealtimeEnd {
  const { status, status_details: details, usage, output } = isRecord(response) ? response : {}
  const counted = usageIn(usage)
  return {
    status: statusOf(status),
    ...(counted && { usage: counted }),
    ...(Array.isArray(output) && output.length > 0 && { hasOutput: true }),
    ...(status === 'failed' && {
      error: faultOfError(isRecord(details) ? details['error'] : undefined, secrets),
    }),
  }
}

const statusOf = (status: unknown): RealtimeEnd['status'] =>
  status === 'completed' || status === 'cancelled' || status === 'incomplete' ? status : 'failed'

export function textIn(record: UpstreamEvent, name: string): string {
  const text = record[name]
  if (typeof text !== 'string') throw new UpstreamError('malformed', { detail: `an event without ${name}` })
  return text
}

export function idIn(record: UpstreamEvent, name: string): string {
  const id = textIn(record, name)
  if (id === '' || id.length > maxId)
    throw new UpstreamError('malformed', { detail: `an event without ${name}` })
  return id
}
