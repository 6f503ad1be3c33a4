/** What a client sends, as an event. */

import { boundsOf, readSmallJson } from '#platform/json'
import type { RealtimeEvent } from '#voice/realtime'

/** Bytes of one message. */
export const messageBytes = 256 * 1024

/** Undefined for what is no JSON object. */
export function eventOf(message: string | Buffer): RealtimeEvent | undefined {
  try {
    const bytes = typeof message === 'string' ? Buffer.from(message) : message
    const value = readSmallJson(bytes, boundsOf(messageBytes))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as RealtimeEvent)
      : undefined
  } catch {
    return undefined
  }
}
