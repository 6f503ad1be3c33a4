import { freeBytes } from '#platform/bytes'
import { type JsonBounds, readJson as readValue } from '#platform/json'
import { UpstreamError } from '#providers/spec'
import type { Exchange } from './exchange.ts'

/** Wider than for requests: answers are read leniently. The shortest value, a digit and its comma, is two bytes; a vector's are ten. */
const boundsOf = (bytes: number): JsonBounds => ({
  maxDepth: 500,
  maxMembers: 100_000,
  maxValues: Math.max(250_000, Math.ceil(bytes / 4)),
})

/** True for a JSON object: answers of upstreams are unknown until looked at. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The rest of an answer of at most `maxBytes` as JSON, read in slices where it is large. Throws malformed when it is none. */
export async function readJson(exchange: Exchange, maxBytes: number): Promise<unknown> {
  const bytes = await exchange.bytes(maxBytes, 'fail')
  try {
    return await readValue(bytes, boundsOf(maxBytes))
  } catch (cause) {
    throw new UpstreamError('malformed', {
      status: exchange.status,
      detail: 'an answer that is not JSON',
      cause,
    })
  } finally {
    freeBytes(bytes)
  }
}

/** Far more than any model can use, and sums of a few are still exact; a larger claim means no more than this one. */
const maxClaimed = 1_000_000_000_000

/**
 * A count that an upstream claims; undefined for what is none (a text, a negative number). What of it can be is judged by metering
 * (`plausibleUsage`), not here.
 */
export const claimedCount = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 ? Math.floor(Math.min(value, maxClaimed)) : undefined
