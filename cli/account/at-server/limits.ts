/** Caps and limits as the API takes and shows them: in whole credits. */
import type { Language } from '#platform/errors'
import { microcreditsPerCredit } from '#platform/ledger'
import { readCaps } from '../../amounts.ts'
import { refuseUsage } from '../../command.ts'
import type { TableColumn } from '../../output.ts'
import { titles } from '../../phrases.ts'
import { showCount } from '../money.ts'
import { serverWords as words } from './phrases.ts'

export interface Limits {
  cap_credits: number | null
  month_cap_credits: number | null
  rate_per_minute: number | null
  concurrency: number | null
  spent_credits: number
  month_spent_credits: number
}

/** The caps and limits that are typed, for a body; what is not typed stays as it is. */
export function limitsBody(options: Readonly<Record<string, string>>): object {
  const { cap, monthCap, ratePerMinute, concurrency } = readCaps(options)
  return {
    ...(cap !== undefined && { cap_credits: whole('--cap', cap) }),
    ...(monthCap !== undefined && { month_cap_credits: whole('--monthly-cap', monthCap) }),
    ...(ratePerMinute !== undefined && { rate_per_minute: ratePerMinute }),
    ...(concurrency !== undefined && { concurrency }),
  }
}

function whole(what: string, micro: bigint | null): number | null {
  if (micro === null) return null
  if (micro % microcreditsPerCredit !== 0n) refuseUsage(words.wholeCredits(what))
  return Number(micro / microcreditsPerCredit)
}

export function limitColumns<Row extends Limits>(language: Language): TableColumn<Row>[] {
  const count = (value: number | null) => showCount(value, language)
  return [
    { title: titles.spent, show: (row) => count(row.spent_credits), numeric: true },
    { title: titles.cap, show: (row) => count(row.cap_credits), numeric: true },
    { title: titles.monthSpent, show: (row) => count(row.month_spent_credits), numeric: true },
    { title: titles.monthCap, show: (row) => count(row.month_cap_credits), numeric: true },
    { title: titles.rate, show: (row) => count(row.rate_per_minute), numeric: true },
    { title: titles.concurrency, show: (row) => count(row.concurrency), numeric: true },
  ]
}
