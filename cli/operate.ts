/** What the operator's commands for sites and for app back-ends share; they work on the database directly. */
import type { Language } from '#platform/errors'
import { readCount } from './amounts.ts'
import type { ParsedArguments } from './command.ts'
import { digits } from './numerals.ts'
import { phrases } from './phrases.ts'

const pageSize = 500

/** All rows of a list, page by page. */
export async function readAll<Row>(
  readPage: (page: {
    limit: number
    after_id: string | undefined
  }) => Promise<{ rows: Row[]; hasMore: boolean }>,
  idOf: (row: Row) => string,
): Promise<Row[]> {
  const rows: Row[] = []
  for (let after: string | undefined; ; ) {
    const page = await readPage({ limit: pageSize, after_id: after })
    rows.push(...page.rows)
    const last = page.rows.at(-1)
    if (!page.hasMore || !last) return rows
    after = idOf(last)
  }
}

/** The limits that options set: the name of each in the configuration, and its bounds there. */
export type LimitOptions = Readonly<Record<string, readonly [name: string, min: number, max: number]>>

/** The limits that were typed; null for a limit that is taken back. */
export function readLimits(
  limits: LimitOptions,
  { options }: ParsedArguments,
): Record<string, number | null> {
  const changes: Record<string, number | null> = {}
  for (const [option, [name, min, max]] of Object.entries(limits)) {
    const typed = options[option]
    if (typed !== undefined) changes[name] = readCount(`--${option}`, typed, max, min)
  }
  return changes
}

export function limitsText(limits: Readonly<Record<string, number>>, language: Language): string {
  const own = Object.entries(limits).map(([name, value]) => `${name}=${digits(value, language)}`)
  return own.length === 0 ? phrases.asConfigured()[language] : own.join(' ')
}
