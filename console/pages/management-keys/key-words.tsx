/** What stands of a management key in a line: what it may do, from where, its last use and its end. */
import type { ReactNode } from 'react'
import { capitalized } from '../../words/capitalized.ts'
import { formatNumber } from '../../words/digits.ts'
import { Id, Moment } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import { managementWords } from './management-keys.words.ts'
import type { ManagementKey } from './queries.ts'
import { rightNames } from './rights.ts'
import { rightWords } from './rights.words.ts'

/** How many permissions are named before the rest is counted. */
const named = 3

/** Permissions in a few words, in the order of the groups. Where changing something is named, seeing it is not. */
export function useRightsInWords(): (rights: readonly string[]) => string {
  const words = useWords(rightWords)
  const locale = useLocale()
  return (rights) => {
    const told = rightNames.filter((right) => rights.includes(right) && !isImplied(right, rights))
    const nouns = told.map((right) => words.rights[right].short)
    const join = locale === 'fa' ? '، ' : ', '
    const text =
      nouns.length <= named + 1
        ? nouns.join(join)
        : words.andMore(nouns.slice(0, named).join(join), formatNumber(locale, nouns.length - named))
    return capitalized(text)
  }
}

const isImplied = (right: string, rights: readonly string[]): boolean =>
  right.endsWith(':read') && rights.includes(right.replace(':read', ':write'))

export function From({ of }: { of: Pick<ManagementKey, 'addresses'> }): ReactNode {
  const words = useWords(managementWords)
  const locale = useLocale()
  const [first, ...more] = of.addresses
  if (first === undefined) return words.everywhere
  if (more.length === 0) return <Id>{first}</Id>
  return words.networks(`\u2066${first}\u2069`, formatNumber(locale, more.length))
}

export function LastUse({ of }: { of: Pick<ManagementKey, 'last_used_at'> }): ReactNode {
  const words = useWords(managementWords)
  return of.last_used_at === null ? words.notUsed : <Moment at={of.last_used_at} />
}
