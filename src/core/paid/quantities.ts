import type { Quantities } from '#platform/ledger'

/** The sum of the counts of each unit; undefined where nothing was counted, so that the receipt bears none. */
export function totalQuantities(all: readonly Quantities[]): Quantities | undefined {
  const total: Record<string, number> = {}
  for (const [unit, count] of all.flatMap((quantities) => Object.entries(quantities)))
    if (count > 0) total[unit] = (total[unit] ?? 0) + count
  return Object.keys(total).length > 0 ? total : undefined
}
