import { addDays, dayInTehran } from '../../words/tehran-days.ts'

/** Days of which the server knows the last use. */
const knownDays = 35

export type LastUse = 'today' | 'yesterday' | 'day' | 'notUsed' | 'longUnused'

/** What is known of the last use of a key: a day, or for how long there was none. */
export function lastUseOf(key: { last_used_on: string | null; created_at: string }, now: Date): LastUse {
  const today = dayInTehran(now)
  if (key.last_used_on === today) return 'today'
  if (key.last_used_on === addDays(today, -1)) return 'yesterday'
  if (key.last_used_on !== null) return 'day'
  return dayInTehran(new Date(key.created_at)) > addDays(today, -knownDays) ? 'notUsed' : 'longUnused'
}

const dayMs = 86_400_000

/** Whole days until a key ends, begun ones included; undefined where it never ends or has ended. */
export function daysToEnd(expiresAt: string | null, now: Date): number | undefined {
  if (expiresAt === null) return undefined
  const leftMs = Date.parse(expiresAt) - now.getTime()
  return leftMs > 0 ? Math.ceil(leftMs / dayMs) : undefined
}

/** From so many days before its end on, people are reminded of it; the mail of the server comes then too. */
export const soonDays = 7
