/** Parses the messages of a client into events. */

import { boundsOf, readSmallJson } from '#platform/json'
import type { RealtimeEvent } from '#voice/realtime'

/** The most bytes of one message. */
export const maxMessageBytes = 256 * 1024

/** The event in a message; undefined where it is no JSON object. */
export function eventOf(message: string | Buffer): RealtimeEvent | undefined {
  try {
    const bytes = typeof message === 'string' ? Buffer.from(message) : message
    const value = readSmallJson(bytes, { ...boundsOf(maxMessageBytes), exact: true })
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as RealtimeEvent)
      : undefined
  } catch {
    return undefined
  }
}
