import { JsonReader } from './json-reader.ts'
import { type JsonBounds, NotJson } from './not-json.ts'

/** Texts above this size are read in slices: JSON.parse takes 20 ms for a megabyte of few strings (a third of a million empty lists). */
export const maxSyncBytes = 1024 * 1024

/** Maximum values of a text that is parsed in one go: about 20 ms. */
const maxSyncValues = 100_000

/** Maximum numbers of them that no double has. */
const maxSyncExact = 30_000

/**
 * Parses a text synchronously, such as one event of a stream. Long strings are fine; more than a megabyte of small values is refused. With `exact` a
 * smaller text keeps long numbers, at most 30,000, and rounds them where it has more than 100,000 values, as a list of probabilities may have. Throws
 * `NotJson` or a SyntaxError.
 */
export function readJsonSync(text: string, { exact = false }: Pick<JsonBounds, 'exact'> = {}): unknown {
  const isSmall = text.length <= maxSyncBytes
  if (isSmall && !(exact && longNumber.test(text))) return JSON.parse(text)
  const bounds = { maxDepth: 500, maxMembers: maxSyncValues, maxValues: maxSyncValues }
  try {
    return readAtOnce(Buffer.from(text), { ...bounds, exact, maxExact: maxSyncExact })
  } catch (error) {
    if (isSmall && error instanceof NotJson && hasTooMany(error)) return JSON.parse(text)
    throw error
  }
}

const hasTooMany = ({ trouble }: NotJson): boolean => 'max' in trouble && trouble.max === maxSyncValues

/** Finds a number as `hasLongNumber` of `inspect` does, and harmlessly what looks like one inside a string. */
const longNumber = /(?:^|[[:,\s-])(?:\d[\d.]{15}|\d[\d.]*[eE])/

/** Parses a text within the bounds, in one go, by the reader that keeps every digit. */
export function readAtOnce(bytes: Buffer, bounds: JsonBounds): unknown {
  const reader = new JsonReader(bytes, bounds)
  reader.run({ isOver: () => false })
  return reader.value
}
