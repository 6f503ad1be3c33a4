import pg from 'pg'

const { builtins } = pg.types
/** The array types that `builtins` does not list. */
const int8Array = 1016
const dateArray = 1182
const textArray = 1009

/**
 * How columns become values. Money is int8 and must never pass through a floating number; a `date` has no hour, so it
 * stays text ('2026-11-20') instead of becoming an instant in whatever time zone the machine has.
 */
export const columnTypes = new pg.TypeOverrides()
columnTypes.setTypeParser(builtins.INT8, BigInt)
columnTypes.setTypeParser(int8Array, (text: string) =>
  readTextArray(text).map((item) => (item === null ? null : BigInt(item))),
)
columnTypes.setTypeParser(builtins.DATE, (text: string) => text)
columnTypes.setTypeParser(dateArray, readTextArray)

function readTextArray(text: string): (string | null)[] {
  // The published type of `getTypeParser` confuses the type's number with the parser's argument.
  const parse = columnTypes.getTypeParser(textArray) as unknown as (text: string) => (string | null)[]
  return parse(text)
}
