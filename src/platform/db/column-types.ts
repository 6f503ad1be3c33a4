import pg from 'pg'
import { maxSyncBytes, readJsonSync } from '#platform/json'

const { builtins } = pg.types
/** The array types that `builtins` does not list. */
const int8Array = 1016
const dateArray = 1182
const textArray = 1009

/**
 * How columns become values. Money is int8 and must never pass through a floating number; a `date` has no hour, so it
 * stays text ('2026-11-20') instead of becoming an instant in whatever time zone the machine has. JSON keeps every digit for `exactly`.
 */
export const columnTypes = new pg.TypeOverrides()
columnTypes.setTypeParser(builtins.INT8, BigInt)
columnTypes.setTypeParser(int8Array, (text: string) =>
  readTextArray(text).map((item) => (item === null ? null : BigInt(item))),
)
columnTypes.setTypeParser(builtins.DATE, (text: string) => text)
columnTypes.setTypeParser(dateArray, readTextArray)
for (const json of [builtins.JSON, builtins.JSONB]) columnTypes.setTypeParser(json, readJson)

/** What outsiders may store is small: all that is larger or deeper is ours, or was made by code of an app, and is read as doubles. */
function readJson(text: string): unknown {
  if (text.length > maxSyncBytes) return JSON.parse(text)
  try {
    return readJsonSync(text, { exact: true })
  } catch {
    return JSON.parse(text)
  }
}

function readTextArray(text: string): (string | null)[] {
  // The published type of `getTypeParser` confuses the type's number with the parser's argument.
  const parse = columnTypes.getTypeParser(textArray) as unknown as (text: string) => (string | null)[]
  return parse(text)
}
