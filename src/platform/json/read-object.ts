import { isDeeper } from './depth-scanner.ts'
import { ExactNumber } from './exact-number.ts'
import { NotJson } from './not-json.ts'
import { readExactly } from './read-sync.ts'
import { isRecord } from './value-kinds.ts'

type JsonObject = Record<string, unknown>

/** As deep as the JSON of a request may be. */
const maxDepth = 100

/**
 * The object of a JSON text, for those who take nothing but objects. What is none is wrapped, so that nothing is lost: a text that is not JSON under
 * `INVALID_JSON` (as platform.claude.com/docs/en/agents-and-tools/tool-use/fine-grained-tool-streaming advises), another value under `value`. An
 * object that was written as a string is read once more; `null` and an empty text are an empty object. Throws `NotJson` for one that is nested deeper
 * than 100 levels.
 */
export function readObject(text: string): JsonObject {
  if (text.trim() === '') return {}
  const value = parsed(text)
  if (value === notJson) return { INVALID_JSON: text }
  if (typeof value !== 'string') return objectOf(value)
  const inner = isDeeper(value, maxDepth) ? notJson : parsed(value)
  return isObject(inner) ? inner : { value }
}

/** The value where it is an object; else wrapped as `readObject` does it. */
export const objectOf = (value: unknown): JsonObject =>
  isObject(value) ? value : value === null || value === undefined ? {} : { value }

const notJson = Symbol('not JSON')

function parsed(text: string): unknown {
  let value: unknown
  try {
    value = readExactly(text)
  } catch (error) {
    if (error instanceof NotJson && error.trouble.kind === 'tooDeep') throw error
    return notJson
  }
  if (isDeeper(text, maxDepth)) throw new NotJson({ kind: 'tooDeep', max: maxDepth })
  return value
}

const isObject = (value: unknown): value is JsonObject => isRecord(value) && !(value instanceof ExactNumber)
