/** Reads the rows of a body, checked one by one before anything is sent to the database. */

import { documentOf, isRowColumn, type NewRow, queryLimits, rowReasons } from '#cloud/collections'
import { refuse } from '#cloud/tables'
import { fail } from '#platform/errors'
import { isUuid, uuidv7 } from '#platform/ids'
import { exactly } from '#platform/json'
import { Slice } from '#platform/slices'
import type { AppCaller } from '../area.ts'
import { refusals } from './refusals.ts'

type Members = Readonly<Record<string, unknown>>

interface RowOptions {
  caller: AppCaller
  /** The names of fields that are used; all where absent. */
  columns: readonly string[] | undefined
  leavesOut: boolean
  nowMs: number
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Characters of all rows of a request together, as JSON: the fields that `columns` names stand in each row, so a body of few bytes could become
 * large.
 */
const maxCharacters = 2 * 1024 * 1024

/** Reads new rows one by one, in slices. Throws ROW_INVALID, ROW_TOO_LARGE, ROWS_TOO_MANY. */
export async function newRows(body: unknown, options: RowOptions): Promise<NewRow[]> {
  const values = Array.isArray(body) ? body : [body]
  if (values.length > queryLimits.rows) fail('ROWS_TOO_MANY', { max: queryLimits.rows })
  // The ids are made at once, so that they are in order: rows without an order are answered by their ids.
  const ids = values.map(() => uuidv7(options.nowMs))
  const rows: NewRow[] = []
  const slice = new Slice()
  let characters = 0
  for (const [index, value] of values.entries()) {
    if (!isMembers(value)) refuse(refusals.body)
    const row = newRow(value, options, ids[index]!, Array.isArray(body) ? `[${index}]` : 'row')
    characters += row.json.length
    if (characters > maxCharacters) refuse(refusals.rowsTooLarge(maxCharacters))
    rows.push(row)
    if (slice.isOver()) await slice.next()
  }
  return rows
}

function newRow(
  value: Members,
  { caller, columns, leavesOut }: RowOptions,
  ownId: string,
  param: string,
): NewRow {
  const { id, owner_id: owner, ...rest } = pickColumns(exactly(value), columns, leavesOut)
  const ownerId = caller.role === 'authenticated' ? caller.userId : null
  requireOwn(owner, ownerId, param)
  const isGiven = id !== undefined && id !== null
  if (isGiven && !(typeof id === 'string' && isUuid(id)))
    fail('ROW_INVALID', { why: rowReasons.badId }, { param: `${param}.id` })
  return { id: isGiven ? String(id).toLowerCase() : ownId, ownerId, ...documentOf(rest, param) }
}

function requireOwn(owner: unknown, ownerId: string | null, param: string): void {
  if (owner === undefined || owner === null || owner === ownerId) return
  if (ownerId === null)
    fail('ROW_INVALID', { why: rowReasons.reserved('owner_id') }, { param: `${param}.owner_id` })
  refuse(refusals.owner)
}

/** A field that the client names for several rows is null in a row without it, as in a table. */
function pickColumns(value: Members, columns: readonly string[] | undefined, leavesOut: boolean): Members {
  if (!columns) return value
  const entries = columns.flatMap((name) => {
    if (Object.hasOwn(value, name)) return [[name, value[name]] as const]
    return leavesOut || isRowColumn(name) ? [] : [[name, null] as const]
  })
  return Object.fromEntries(entries)
}

/** The members that rows get, as JSON; undefined where there is none. */
export function changedMembers(
  body: unknown,
  { caller, columns }: Pick<RowOptions, 'caller' | 'columns'>,
): string | undefined {
  if (!isMembers(body)) return refuse(refusals.body)
  const { owner_id: owner, ...rest } = pickColumns(exactly(body), columns, true)
  requireOwn(owner, caller.role === 'authenticated' ? caller.userId : null, 'row')
  const { json } = documentOf(rest, 'row')
  return json === '{}' ? undefined : json
}
