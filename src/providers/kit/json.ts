import { UpstreamError } from '#core/spec'
import { freeBytes } from '#platform/bytes'
import {
  isRecord,
  type JsonBounds,
  NotJson,
  namesAround,
  readSmallJson as readSmallValue,
  readJson as readValue,
} from '#platform/json'

/** The levels of an answer. */
export const maxDepth = 500

/**
 * The bounds of answers, higher than for requests, since answers are read leniently. The shortest value, a digit and its comma, takes two bytes; a
 * number of a vector takes ten.
 */
const boundsOf = (bytes: number, { exact = false }: ReadOptions): JsonBounds => ({
  maxDepth,
  maxMembers: 100_000,
  maxValues: Math.max(250_000, Math.ceil(bytes / 4)),
  exact,
})

interface ReadOptions {
  /** Numbers keep every digit for `exactly`; of vectors and measures a double is enough. */
  exact?: boolean
}

/** The first item of a list, where it is an object. */
export function firstOf(list: unknown): Record<string, unknown> | undefined {
  const first: unknown = Array.isArray(list) ? list[0] : undefined
  return isRecord(first) ? first : undefined
}

/** An answer of at most `maxBytes`, parsed as JSON, in slices if it is large; its bytes are freed. Throws malformed if it is not JSON. */
export async function readJson(bytes: Buffer, maxBytes: number, options: ReadOptions = {}): Promise<unknown> {
  try {
    return await readValue(withoutMark(bytes), boundsOf(maxBytes, options))
  } catch (cause) {
    throw notJson(cause, bytes)
  } finally {
    freeBytes(bytes)
  }
}

/** Like `readJson`, but at once, for an answer of at most `atOnceBytes`. */
export function readSmallJson(bytes: Buffer, maxBytes: number, options: ReadOptions = {}): unknown {
  try {
    return readSmallValue(withoutMark(bytes), boundsOf(maxBytes, options))
  } catch (cause) {
    throw notJson(cause, bytes)
  }
}

/** The bytes without a byte order mark, which some servers set before their JSON. */
const withoutMark = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes

const notJson = (cause: unknown, bytes: Buffer): UpstreamError =>
  isTooDeep(cause)
    ? tooDeep('an answer that is nested too deeply', bytes.toString('latin1', 0, maxSearchedBytes), cause)
    : new UpstreamError('malformed', { detail: 'an answer that is not JSON', cause })

/** Whether a text could not be read because of its nesting. */
const isTooDeep = (cause: unknown): boolean => cause instanceof NotJson && cause.trouble.kind === 'tooDeep'

/** A longer text is searched for the place of its nesting up to here, which takes some milliseconds. */
const maxSearchedBytes = 2 * 1024 * 1024

/** The members in which the wires have what a model writes for a call. */
const argumentNames: ReadonlySet<string> = new Set(['arguments', 'input'])

/** A text of more than `maxDepth` levels. The model wrote them if they stand in the arguments of a call; elsewhere the server is broken. */
export function tooDeep(detail: string, text: string, cause?: unknown): UpstreamError {
  const byModel = namesAround(text, maxDepth)?.some((name) => argumentNames.has(name)) ?? false
  return new UpstreamError('malformed', { detail, cause, byModel })
}

/** Far more than any model can use, and still exact when a few are added; larger claims are reduced to it. */
const maxClaimed = 1_000_000_000_000

/**
 * A count that an upstream claims; undefined if it is not one (a string, a negative number). How much of it is plausible is decided by
 * metering (`plausibleUsage`), not here.
 */
export const claimedCount = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 ? Math.floor(Math.min(value, maxClaimed)) : undefined
