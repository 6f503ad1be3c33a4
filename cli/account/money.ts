/** Spending, holds and caps, as columns of a table and as members of a JSON document. */
import type { Language } from '#platform/errors'
import type { Spending } from '#platform/ledger'
import { showCredits } from '../amounts.ts'
import type { BilingualText } from '../command.ts'
import type { TableColumn } from '../output.ts'
import { phrases, titles } from '../phrases.ts'

/** An amount as both languages write it. */
export const credits = (micro: bigint): BilingualText => ({
  fa: showCredits(micro, 'fa'),
  en: showCredits(micro, 'en'),
})

export const showCount = (max: number | null, language: Language): string =>
  max === null ? phrases.none()[language] : max.toLocaleString(language === 'fa' ? 'fa-IR' : 'en-US')

export function spendingColumns<Row extends Spending>(language: Language): TableColumn<Row>[] {
  const amount = (micro: bigint | null) =>
    micro === null ? phrases.none()[language] : showCredits(micro, language)
  const count = (max: number | null) => showCount(max, language)
  return [
    { title: titles.held, show: ({ held }) => amount(held), numeric: true },
    { title: titles.spent, show: ({ spent }) => amount(spent), numeric: true },
    { title: titles.cap, show: ({ cap }) => amount(cap), numeric: true },
    { title: titles.monthSpent, show: ({ month_spent }) => amount(month_spent), numeric: true },
    { title: titles.monthCap, show: ({ month_cap }) => amount(month_cap), numeric: true },
    { title: titles.rate, show: ({ rate_per_minute }) => count(rate_per_minute), numeric: true },
    { title: titles.concurrency, show: ({ concurrency }) => count(concurrency), numeric: true },
  ]
}

/** Micro-credits as strings, since a number of JSON is not exact beyond 2^53. */
export const spendingJson = ({
  held,
  spent,
  cap,
  month_spent,
  month_cap,
  rate_per_minute,
  concurrency,
}: Spending) => ({
  rate_per_minute,
  concurrency,
  reserved_microcredits: String(held),
  spent_microcredits: String(spent),
  cap_microcredits: cap === null ? null : String(cap),
  month_spent_microcredits: String(month_spent),
  month_cap_microcredits: month_cap === null ? null : String(month_cap),
})
