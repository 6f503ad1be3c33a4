/** The measure of each group. */
import { missingValue, type TableStore } from './columns/store.ts'
import { integersOf, measureOf } from './figures.ts'
import type { RowGroups } from './view-groups.ts'
import type { View, ViewRow } from './views.ts'

export interface GroupMeasures {
  value(group: number): string | null
  count(group: number): number
  /** The measure of several groups together. */
  together(groups: readonly number[]): ViewRow
  total(): string | null
}

/** The values sorted by group, so that any measure is computed from a slice. */
export function measureGroups(
  { columns, rows }: TableStore,
  { groups, keys }: RowGroups,
  view: View,
): GroupMeasures {
  const { measure } = view
  const own = view.column === undefined ? undefined : integersOf(columns[view.column]!)
  const counts = new Int32Array(keys.length)
  const starts = new Int32Array(keys.length + 1)
  const hasValue = (row: number) => groups[row]! >= 0 && (!own || own.values[row] !== missingValue)
  for (let row = 0; row < rows; row += 1) {
    if (groups[row]! >= 0) counts[groups[row]!]! += 1
    if (hasValue(row)) starts[groups[row]! + 1]! += 1
  }
  for (let group = 0; group < keys.length; group += 1) starts[group + 1]! += starts[group]!
  const values = new BigInt64Array(starts[keys.length]!)
  const next = starts.slice()
  for (let row = 0; own && row < rows; row += 1)
    if (hasValue(row)) values[next[groups[row]!]!++] = own.values[row]!
  const scale = measure === 'distinct' ? 0 : (own?.scale ?? 0)
  const slice = (group: number) => values.subarray(starts[group], starts[group + 1])
  const measureText = (own: BigInt64Array) => measureOf(measure, own, scale) ?? null
  return {
    value: (group) => measureText(slice(group)),
    count: (group) => counts[group]!,
    together(many) {
      const size = many.reduce((sum, group) => sum + slice(group).length, 0)
      const all = new BigInt64Array(size)
      let at = 0
      for (const group of many) {
        all.set(slice(group), at)
        at += slice(group).length
      }
      return { key: '', value: measureText(all), count: many.reduce((sum, group) => sum + counts[group]!, 0) }
    },
    total: () => measureText(values.slice()),
  }
}
