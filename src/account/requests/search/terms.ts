/**
 * Terms: what requests are searched by. A request has one for each field and value, as 32 bits of a checksum. Two values may share a term, so whatever
 * is found by terms is compared with the filter again.
 */
import { crc32 } from 'node:zlib'
import type { Filter } from '../filter.ts'

/** The values of a settlement by which it is found; charges are found otherwise (`charges.ts`). */
export interface TermValues {
  project_id: string
  key_id: string
  endpoint: string
  model: string | null
  customer_id: string | null
  reference_id: string | null
  state: string
  status_code: number | null
}

export const fields = [
  'project_id',
  'key_id',
  'endpoint',
  'model',
  'customer_id',
  'reference_id',
  'state',
  'status_code',
] as const
type Field = (typeof fields)[number]

const termOf = (field: Field, value: string | number): number => crc32(`${field}\0${value}`)

/** The rows, by their places in ascending order, that have each term. A checksum is computed once for a value, however many rows have it. */
export function* placesOfTerms(rows: readonly TermValues[], field: Field): Generator<[number, number[]]> {
  const places = new Map<string | number, number[]>()
  for (const [place, row] of rows.entries()) {
    const value = row[field]
    if (value === null) continue
    const known = places.get(value)
    if (known) known.push(place)
    else places.set(value, [place])
  }
  for (const [value, some] of places) yield [termOf(field, value), some]
}

/** A filter by more values than this is left to the comparison, since each value costs a read. */
const maxValues = 16

/** The terms of a filter: a request must have at least one of each group. A group is empty if nothing can match. */
export function termGroups(filter: Filter): number[][] {
  const groups: number[][] = []
  const add = (field: Field, ...values: (string | number)[]): void => {
    if (values.length <= maxValues) groups.push(values.map((value) => termOf(field, value)))
  }
  const { projects, keyId, personKeyIds, model, customerId, referenceId, endpoint, state, statusCode } =
    filter
  if (projects !== 'all') add('project_id', ...projects)
  if (keyId !== undefined) add('key_id', keyId.toLowerCase())
  if (personKeyIds) add('key_id', ...personKeyIds)
  if (model !== undefined) add('model', model)
  if (customerId !== undefined) add('customer_id', customerId)
  if (referenceId !== undefined) add('reference_id', referenceId)
  if (endpoint !== undefined) add('endpoint', endpoint)
  if (state !== undefined) add('state', state)
  if (statusCode !== undefined) add('status_code', statusCode)
  return groups
}
