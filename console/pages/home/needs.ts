/** What a person should know now, the worst first. */
import { call, type Reply } from '../../api/client.ts'
import { daysToEnd, soonDays } from '../keys/last-use.ts'
import type { Balance, Budget } from './figures.tsx'

type Key = Reply<'GET /v1/keys'>['data'][number]

export type Need =
  | { name: 'creditGone' | 'creditLow' }
  | { name: 'capReached'; period: Budget['period'] }
  | { name: 'capNear'; period: Budget['period']; part: number }
  | { name: 'keyEnds'; id: string; key: string; days: number }

/** The cap that refuses calls or is nearest to it; while none is near, one of the month where there is one. */
export function tightestOf({ budgets }: Pick<Balance, 'budgets'>): Budget | undefined {
  const [tightest, ...others] = budgets.toSorted((a, b) => partOf(b) - partOf(a))
  if (!tightest || tightest.period === 'month' || partOf(tightest) >= nearPart) return tightest
  return others.find(({ period }) => period === 'month') ?? tightest
}

/** The part of a cap from which on it is near its end. */
const nearPart = 0.8

/** A cap of which nobody tells what is spent counts as far from its end, unless it is zero. */
const partOf = ({ spent_credits: spent, cap_credits: cap }: Budget): number =>
  cap === 0 ? 1 : (spent ?? 0) / cap

const dayMs = 86_400_000

/** Credit and caps that end. `ends` is when the credit is spent at the pace of the account. */
export function needsOf(
  balance: Pick<Balance, 'balance_credits' | 'budgets'>,
  ends: Date | undefined,
  now: Date,
): Need[] {
  const needs: Need[] = []
  if (balance.balance_credits <= 0) needs.push({ name: 'creditGone' })
  else if (ends !== undefined && ends.getTime() < now.getTime() + 3 * dayMs) needs.push({ name: 'creditLow' })
  const budget = tightestOf(balance)
  if (!budget) return needs
  const { period } = budget
  const part = partOf(budget)
  if (part >= 1) needs.push({ name: 'capReached', period })
  else if (part >= nearPart) needs.push({ name: 'capNear', period, part })
  return needs
}

/** Keys that end within a week, the next one first. */
export const needsOfKeys = (
  keys: readonly Pick<Key, 'id' | 'name' | 'expires_at'>[],
  now: Date,
): (Need & { name: 'keyEnds' })[] =>
  keys
    .flatMap(({ id, name, expires_at: end }) => {
      const days = daysToEnd(end, now)
      return days !== undefined && days <= soonDays ? [{ name: 'keyEnds' as const, id, key: name, days }] : []
    })
    .toSorted((a, b) => a.days - b.days)

const pageSize = 100
/** More keys than these are looked through on their own page. */
const maxPages = 3

async function readKeys(projectId: string): Promise<Key[]> {
  const keys: Key[] = []
  for (let page = 0; page < maxPages; page++) {
    const after = keys.at(-1)?.id
    const read = await call('GET /v1/keys', {
      query: {
        project_id: projectId,
        state: 'active',
        limit: pageSize,
        ...(after !== undefined && { after_id: after }),
      },
    })
    keys.push(...read.data)
    if (!read.has_more) break
  }
  return keys
}

/** The keys of the project that work, for whoever may see them. */
export const endingKeysQuery = (projectId: string | undefined, mayRead: boolean) =>
  ({
    queryKey: ['keys', projectId, 'ending'],
    queryFn: () => readKeys(projectId!),
    enabled: projectId !== undefined && mayRead,
  }) as const
