/** The names of periods and limits, without anything that counts with them. */

export const intervals = ['day', 'week', 'month'] as const
export type Interval = (typeof intervals)[number]

/** With what a range is compared: see comparisonOf. */
export type ComparisonKind = 'month' | 'monthSoFar' | 'days'

/** What stops paid requests. */
export type Limit = 'credit' | 'accountMonth' | 'accountTotal' | 'projectMonth' | 'projectTotal'
