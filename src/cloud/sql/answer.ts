/** The answer of a statement as JSON text of a bounded size. */

import type { Field, StatementResult } from './statement.ts'
import type { TypeRow } from './store.ts'
import { typesText } from './store.ts'
import { toJson, type ValueType } from './values.ts'

/** The most rows, and the most bytes of columns and rows as JSON. */
export const answerLimits = { rows: 1_000, bytes: 1_000_000 }

export interface SqlAnswer {
  columns: { name: string; type: string }[]
  /** The rows as JSON: an array of arrays, in the order of the columns. */
  rowsText: string
  rowCount: number | null
  command: string | null
  truncated: boolean
}

type QueryRunner = <Row extends object>(text: string, values: unknown[]) => Promise<Row[]>

export async function answerOf(outcome: StatementResult, runQuery: QueryRunner): Promise<SqlAnswer> {
  const { fields } = outcome
  const rows = fields.length === 0 ? [] : await runQuery<TypeRow>(typesText, idsOf(fields))
  const columns = fields.map(({ name }, index) => ({ name, type: rows[index]!.name }))
  const types = fields.map(({ typeId: id }, index): ValueType => {
    const { element, delimiter } = rows[index]!
    return { id, element: element === 0 ? undefined : { id: element, delimiter } }
  })
  const { text, isWhole } = rowsOf(outcome, types, Buffer.byteLength(JSON.stringify(columns)))
  const truncated = outcome.truncated || !isWhole
  return {
    columns,
    rowsText: text,
    rowCount: outcome.count ?? null,
    command: outcome.command ?? null,
    truncated,
  }
}

const idsOf = (fields: readonly Field[]): unknown[] => [
  fields.map(({ typeId }) => typeId),
  fields.map(({ typeModifier }) => typeModifier),
]

function rowsOf(
  { rows }: StatementResult,
  types: readonly ValueType[],
  columnsBytes: number,
): { text: string; isWhole: boolean } {
  const parts: string[] = []
  let bytes = columnsBytes
  for (const row of rows) {
    const part = `[${row.map((value, index) => toJson(value, types[index]!)).join(',')}]`
    bytes += Buffer.byteLength(part) + 1
    if (bytes > answerLimits.bytes) return { text: `[${parts.join(',')}]`, isWhole: false }
    parts.push(part)
  }
  return { text: `[${parts.join(',')}]`, isWhole: true }
}
