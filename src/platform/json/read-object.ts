import { isDeeper } from './depth-scanner.ts'
import { ExactNumber } from './exact-number.ts'
import { NotJson } from './not-json.ts'
import { readExactly } from './read-sync.ts'
import { isRecord } from './value-kinds.ts'

type JsonObject = Record<string, unknown>

/** The levels that the JSON of a request may have. */
export const maxRequestDepth = 100

/**
 * The levels of a value that comes back inside of a request. Eight stand around the input of a call in a row of a batch (the body, its rows, a row, its
 * parameters, their messages, a message, its blocks, a block), and one is the object that wraps what is none.
 */
export const maxNestedDepth = 90

/**
 * The object of a JSON text, for those who take nothing but objects. What is none is wrapped, so that nothing is lost: a text that is not JSON under
 * `INVALID_JSON` (as platform.claude.com/docs/en/agents-and-tools/tool-use/fine-grained-tool-streaming advises), another value under `value`. An
 * object that was written as a string is read once more; `null` and an empty text are an empty object. What is nested too deeply to be sent in a
 * request stays a text, under `value`.
 */
export function readObject(text: string): JsonObject {
  if (text.trim() === '') return {}
  if (isDeeper(text, maxRequestDepth)) return { value: text }
  const value = parsed(text)
  if (value === notJson) return { INVALID_JSON: text }
  return typeof value === 'string' ? objectInText(value) : objectOf(value)
}

/** The object that a string contains; else the string, wrapped as `readObject` does it. */
export function objectInText(value: string): JsonObject {
  const inner = isDeeper(value, maxNestedDepth) ? notJson : parsed(value)
  return isObject(inner) ? inner : { value }
}

/** The value where it is an object; else wrapped as `readObject` does it. */
export const objectOf = (value: unknown): JsonObject =>
  isObject(value) ? value : value === null || value === undefined ? {} : { value }

const notJson = Symbol('not JSON')

function parsed(text: string): unknown {
  try {
    return readExactly(text)
  } catch (error) {
    if (error instanceof NotJson || error instanceof SyntaxError) return notJson
    throw error
  }
}

const isObject = (value: unknown): value is JsonObject => isRecord(value) && !(value instanceof ExactNumber)
