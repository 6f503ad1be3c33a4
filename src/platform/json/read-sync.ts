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
  isPlain(text, exact) ? JSON.parse(text) : read(text, exact).value

/** Parses a text as `readJsonSync` does, for those who write its value again and read nothing of it: numbers have every digit. */
export const readExactly = (text: string): unknown =>
  isPlain(text, true) ? JSON.parse(text) : read(text, true).exactValue

/** Whether JSON.parse reads the text soon enough, with every digit that is wanted. */
const isPlain = (text: string, exact: boolean): boolean =>
  text.length <= maxSyncBytes && !(exact && longNumber.test(text))

function read(text: string, exact: boolean): Pick<JsonReader, 'value' | 'exactValue'> {
  try {
    return readAtOnce(Buffer.from(text), { ...bounds, exact })
  } catch (error) {
    const isSmall = text.length <= maxSyncBytes
    if (!isSmall || !(error instanceof NotJson && hasTooMany(error))) throw error
    const value: unknown = JSON.parse(text)
    return { value, exactValue: value }
  }
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
