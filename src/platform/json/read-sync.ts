import { JsonReader } from './json-reader.ts'
import type { JsonBounds } from './not-json.ts'

/** Texts above this size are read in slices: JSON.parse takes 20 ms for a megabyte of few strings (a third of a million empty lists). */
export const maxSyncBytes = 1024 * 1024

/** Maximum values of a text that is parsed in one go: about 20 ms. */
const maxSyncValues = 100_000

/** Maximum numbers of them that no double has. */
const maxSyncExact = 30_000

/**
 * Parses a text synchronously, such as one event of a stream. Long strings are fine; a megabyte of small values is refused, and with `exact` as many
 * beside a long number, or 30,000 of these. Throws `NotJson` or a SyntaxError.
 */
export function readJsonSync(text: string, { exact = false }: Pick<JsonBounds, 'exact'> = {}): unknown {
  if (text.length <= maxSyncBytes && !(exact && longNumber.test(text))) return JSON.parse(text)
  const bounds = { maxDepth: 500, maxMembers: maxSyncValues, maxValues: maxSyncValues }
  return readAtOnce(Buffer.from(text), { ...bounds, exact, maxExact: maxSyncExact })
}

/** Finds a number as `hasLongNumber` of `inspect` does, and harmlessly what looks like one inside a string. */
const longNumber = /(?:^|[[:,\s-])(?:\d[\d.]{15}|\d[\d.]*[eE])/

/** Parses a text within the bounds, in one go, by the reader that keeps every digit. */
export function readAtOnce(bytes: Buffer, bounds: JsonBounds): unknown {
  const reader = new JsonReader(bytes, bounds)
  reader.run({ isOver: () => false })
  return reader.value
}
