/** Parses untrusted JSON within limits of depth, values and members, never blocks the event loop for long, and loses no digit of a number. */
import { isUtf8 } from 'node:buffer'
import { noteReleasedText } from '#platform/bytes'
import { Slice } from '#platform/slices'
import { inspect } from './inspect.ts'
import { JsonReader } from './json-reader.ts'
import { type JsonBounds, NotJson } from './not-json.ts'
import { maxRequestDepth } from './read-object.ts'
import { maxSyncBytes, readAtOnce } from './read-sync.ts'

export { DepthScanner, isDeeper, namesAround } from './depth-scanner.ts'
export {
  canonicalNumber,
  digitsOf,
  ExactNumber,
  exactly,
  exactText,
  notePlain,
  plainly,
  writtenOutBytes,
} from './exact-number.ts'
export { type JsonBounds, type JsonTrouble, NotJson } from './not-json.ts'
export { PartialObject } from './partial-object.ts'
export { maxNestedDepth, objectInText, objectOf, readObject } from './read-object.ts'
export { maxSyncBytes, readExactly, readJsonSync } from './read-sync.ts'
export { isFilled, isRecord } from './value-kinds.ts'

/** Maximum members of one object; their names are sorted for fingerprints. */
const maxMembers = 10_000
/** Number of bytes per allowed value, and how many values are always allowed. */
const bytesOfValue = 16
const freeValues = 250_000

/**
 * The limits for a text of at most `limitBytes`. The depth is more than any client sends and safe for every recursive function that reads
 * the value.
 */
export const boundsOf = (limitBytes: number): JsonBounds => ({
  maxDepth: maxRequestDepth,
  maxMembers,
  maxValues: Math.max(freeValues, Math.ceil(limitBytes / bytesOfValue)),
})

/** Smaller texts with more strings than this are read in slices, too: JSON.parse takes 60 ms for a megabyte of names that are all different. */
const maxSyncStrings = 20_000

/** Only one large text is read at a time: reading two alternately would take as long and keep both in memory twice as long. */
let reading: Promise<unknown> = Promise.resolve()

/**
 * Parses a JSON text in UTF-8, as strictly as JSON.parse and with the same result. Throws `NotJson`, whose message contains nothing of the
 * text. The bytes are not needed afterwards.
 */
export async function readJson(bytes: Buffer, bounds: JsonBounds): Promise<unknown> {
  if (!isUtf8(bytes)) throw new NotJson({ kind: 'notUtf8' })
  const isSmall = bytes.length <= maxSyncBytes
  // The values of a small text are not counted, whoever reads it.
  const inSlices = isSmall ? { ...bounds, maxValues: Number.POSITIVE_INFINITY } : bounds
  if (isSmall) {
    const { strings, hasLongNumber } = inspect(bytes, bounds)
    if (strings <= maxSyncStrings)
      return bounds.exact && hasLongNumber ? readInSlices(bytes, inSlices) : parse(bytes)
  }
  const mine = reading.then(() => readInSlices(bytes, inSlices))
  reading = mine.catch(() => undefined)
  return mine
}

/** Parses a text of at most `maxSyncBytes` like `readJson`, but synchronously. */
export function readSmallJson(bytes: Buffer, bounds: JsonBounds): unknown {
  if (!isUtf8(bytes)) throw new NotJson({ kind: 'notUtf8' })
  const { hasLongNumber } = inspect(bytes, bounds)
  return bounds.exact && hasLongNumber ? readAtOnce(bytes, bounds).value : parse(bytes)
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw new NotJson(position(error as Error))
  }
}

/** Takes the position out of the parser's message, which quotes the text, so that no prompt gets into an error message or a log. */
function position(error: Error): NotJson['trouble'] {
  const at = /position (\d+)/.exec(error.message)
  if (at?.[1]) return { kind: 'unexpected', at: Number(at[1]) }
  return { kind: /end of JSON/i.test(error.message) ? 'endsEarly' : 'unreadable' }
}

/** Writes a list as JSON: each value at once, the list as a whole in slices. */
export async function listJson(values: readonly object[]): Promise<string> {
  const texts: string[] = []
  const slice = new Slice()
  for (const value of values) {
    texts.push(JSON.stringify(value))
    if (slice.isOver()) await slice.next()
  }
  return `[${texts.join(',')}]`
}

async function readInSlices(bytes: Buffer, bounds: JsonBounds): Promise<unknown> {
  const reader = new JsonReader(bytes, bounds)
  const slice = new Slice()
  while (!reader.run(slice)) {
    await noteReleasedText(reader.takeJoined())
    await slice.next()
  }
  return reader.value
}
