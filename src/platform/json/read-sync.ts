import { JsonReader } from './json-reader.ts'
import { type JsonBounds, NotJson } from './not-json.ts'

/** Texts above this size are read in slices: JSON.parse takes 20 ms for a megabyte of few strings (a third of a million empty lists). */
export const maxSyncBytes = 1024 * 1024

/** Maximum values of a text that is parsed in one go: about 20 ms. */
const maxSyncValues = 100_000

/**
 * Parses a text synchronously, such as one event of a stream. Long strings are fine; more than a megabyte of small values is refused. With `exact` a
 * smaller text keeps every digit, but rounds where it has more than 100,000 values, as a list of probabilities may have. Throws `NotJson` or a
 * SyntaxError.
 */
export const readJsonSync = (text: string, { exact = false }: Pick<JsonBounds, 'exact'> = {}): unknown =>
  readText(text, exact).value

/** Parses a text as `readJsonSync` does, for those who write its value again and read nothing of it: numbers have every digit. */
export const readExactly = (text: string): unknown => readText(text, true).exactValue

function readText(text: string, exact: boolean): { value: unknown; exactValue: unknown } {
  const isSmall = text.length <= maxSyncBytes
  if (isSmall && !(exact && longNumber.test(text))) return parsed(text)
  try {
    return readAtOnce(Buffer.from(text), { ...bounds, exact })
  } catch (error) {
    if (isSmall && error instanceof NotJson && hasTooMany(error)) return parsed(text)
    throw error
  }
}

function parsed(text: string): { value: unknown; exactValue: unknown } {
  const value: unknown = JSON.parse(text)
  return { value, exactValue: value }
}

const hasTooMany = ({ trouble }: NotJson): boolean => 'max' in trouble && trouble.max === maxSyncValues

const bounds = { maxDepth: 500, maxMembers: maxSyncValues, maxValues: maxSyncValues }

/** Finds a number as `hasLongNumber` of `inspect` does, and harmlessly what looks like one inside a string. */
const longNumber = /(?:^|[[:,\s-])(?:\d[\d.]{15}|\d[\d.]*[eE])/

/** Parses a text within the bounds, in one go, by the reader that keeps every digit. */
export function readAtOnce(bytes: Buffer, bounds: JsonBounds): JsonReader {
  const reader = new JsonReader(bytes, bounds)
  reader.run({ isOver: () => false })
  return reader
}
