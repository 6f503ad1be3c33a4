/** Rows of usage as groups of a dimension. */
import { type Group, minus, type Sum, sumOf } from '../../spending/sums.ts'
import type { AccountUsage, UsageRow } from '../../spending/usage.ts'
import type { Dimension } from './names.ts'

type Sums = AccountUsage['totals']

export const sumIn = ({ requests, failures, microcredits, tokens }: Sums): Sum => ({
  requests,
  failures,
  microcredits: BigInt(microcredits),
  tokens: tokens.input + tokens.output,
})

/** What the dimension of a row says: the value by which it is filtered, and the name that people know where that is another. */
export function labelOf(
  row: UsageRow,
  dimension: Dimension,
  projects: readonly { id: string; name: string }[],
): Pick<Group, 'value' | 'name'> {
  switch (dimension) {
    case 'model':
      return { value: row.model ?? undefined, name: undefined }
    case 'endpoint':
      return { value: row.endpoint, name: undefined }
    case 'customer':
      return { value: row.customer_id ?? undefined, name: undefined }
    case 'key':
      return { value: row.key_id, name: row.key_name ?? row.person?.name }
    case 'person':
      return { value: row.person?.id, name: row.person?.name }
    case 'project':
      return { value: row.project_id, name: projects.find(({ id }) => id === row.project_id)?.name }
  }
}

export const groupsIn = (
  { data }: AccountUsage,
  dimension: Dimension,
  projects: readonly { id: string; name: string }[],
): Group[] => data.map((row) => ({ ...labelOf(row, dimension, projects), ...sumIn(row) }))

export interface Former {
  /** Undefined where nothing is compared. */
  total: Sum | undefined
  /** What a group had in the range before; undefined where that was not read. */
  of(group: Pick<Group, 'value'>): Sum | undefined
  /** What all others had. */
  rest(shown: readonly Pick<Group, 'value'>[]): Sum | undefined
}

/** The groups of the range before, for comparing. */
export function formerOf(before: AccountUsage | undefined, dimension: Dimension): Former {
  const byValue = new Map(
    before && groupsIn(before, dimension, []).map((group) => [group.value, group as Sum]),
  )
  const total = before && sumIn(before.totals)
  const of = ({ value }: Pick<Group, 'value'>): Sum | undefined =>
    byValue.get(value) ?? (before === undefined || before.has_more ? undefined : sumOf([]))
  return {
    total,
    of,
    rest: (shown) => total && minus(total, sumOf(shown.flatMap((group) => of(group) ?? []))),
  }
}
