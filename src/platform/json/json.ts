/** JSON that comes from outside: bounded in depth, in values and in members, and never read for so long at once that others wait. */
import { isUtf8 } from 'node:buffer'
import { Slice } from '#platform/slices'
import { inspect } from './inspect.ts'
import { JsonReader } from './json-reader.ts'
import { type JsonBounds, NotJson } from './not-json.ts'

export { type JsonBounds, type JsonTrouble, NotJson } from './not-json.ts'

/** JSON.parse takes 20 ms for the worst megabyte (a third of a million empty lists); more is read in slices. */
export const atOnceBytes = 1024 * 1024

/** Members of one object: their names are sorted for fingerprints. */
const maxMembers = 10_000
/** One value to so many bytes; what is not worth counting is free. */
const bytesOfValue = 16
const freeValues = 250_000

/** What a text of at most `limitBytes` may hold. Deeper JSON than any client sends, shallow enough for every recursion behind it. */
export const boundsOf = (limitBytes: number): JsonBounds => ({
  maxDepth: 100,
  maxMembers,
  maxValues: Math.max(freeValues, Math.ceil(limitBytes / bytesOfValue)),
})

/** One large text is read at a time: to read two by turns would take as long, and hold both of them twice. */
let reading: Promise<unknown> = Promise.resolve()

/**
 * Reads a whole JSON text in UTF-8, as strictly as JSON.parse and with the same value. Throws `NotJson`, in which nothing of the text
 * stands. The bytes are not needed after it.
 */
export async function readJson(bytes: Buffer, bounds: JsonBounds): Promise<unknown> {
  if (!isUtf8(bytes)) throw new NotJson({ kind: 'notUtf8' })
  if (bytes.length <= atOnceBytes) return parseAtOnce(bytes, bounds)
  const mine = reading.then(() => readInSlices(bytes, bounds))
  reading = mine.catch(() => undefined)
  return mine
}

/** Values of a large text that is read at once: so many are read in some 20 ms. */
const maxAtOnce = 100_000

/**
 * Reads a text that nobody can wait for, such as one event of a stream: long strings in it are fine, a megabyte of small values is not.
 * Throws `NotJson` or a SyntaxError.
 */
export function readJsonAtOnce(text: string): unknown {
  if (text.length <= atOnceBytes) return JSON.parse(text)
  const bounds = { maxDepth: 500, maxMembers: maxAtOnce, maxValues: maxAtOnce }
  const reader = new JsonReader(Buffer.from(text), bounds)
  reader.run(endless)
  return reader.value
}

const endless = { isOver: () => false }

function parseAtOnce(bytes: Buffer, bounds: JsonBounds): unknown {
  inspect(bytes, bounds)
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw new NotJson(position(error as Error))
  }
}

/** The parser's complaint without the text in it, so that no prompt stands in an error message or a log. */
function position(error: Error): NotJson['trouble'] {
  const at = /position (\d+)/.exec(error.message)
  if (at?.[1]) return { kind: 'unexpected', at: Number(at[1]) }
  return { kind: /end of JSON/i.test(error.message) ? 'endsEarly' : 'unreadable' }
}

async function readInSlices(bytes: Buffer, bounds: JsonBounds): Promise<unknown> {
  const reader = new JsonReader(bytes, bounds)
  const slice = new Slice()
  while (!reader.run(slice)) await slice.next()
  return reader.value
}
