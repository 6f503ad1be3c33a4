/** What stands of a key in a line: its end, its last use, its maker. */
import type { ReactNode } from 'react'
import { Badge } from '../../pieces/badge.tsx'
import { formatDay, formatFull } from '../../words/dates.ts'
import { Name } from '../../words/personal.tsx'
import { endOfDay, type IsoDay } from '../../words/tehran-days.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { keysWords } from './keys.words.ts'
import { daysToEnd, lastUseOf, soonDays } from './last-use.ts'
import { scopesInWords } from './scopes.ts'
import { scopeWords } from './scopes.words.ts'
import type { Key } from './settings.ts'

const tehran = { timeZone: 'Asia/Tehran' }

/** A day in Tehran, the whole moment on hover. */
export function Day({ at }: { at: string }): ReactNode {
  const locale = useLocale()
  const moment = new Date(at)
  return (
    <time dateTime={at} title={formatFull(locale, moment, tehran)}>
      {formatDay(locale, moment, new Date(), tehran)}
    </time>
  )
}

/** The end of a key; one that is near is marked. */
export function End({ expiresAt }: { expiresAt: string | null }): ReactNode {
  const words = useWords(keysWords)
  if (expiresAt === null) return words.never
  const left = daysToEnd(expiresAt, new Date())
  const day = <Day at={expiresAt} />
  return left !== undefined && left <= soonDays ? <Badge kind="attention">{day}</Badge> : day
}

export function LastUse({ of }: { of: Key }): ReactNode {
  const words = useWords(keysWords)
  const use = lastUseOf(of, new Date())
  return use === 'day' ? <Day at={`${of.last_used_on}T12:00:00+03:30`} /> : words[use]
}

export function Maker({ of }: { of: Key }): ReactNode {
  const words = useWords(keysWords)
  if (of.made_by_management_key !== null) return <Name>{of.made_by_management_key.name}</Name>
  if (of.made_by === null) return words.operator
  return (
    <>
      <Name>{of.made_by.display_name}</Name>
      {!of.made_by.is_member && (
        <>
          {' '}
          <Badge kind="attention">{words.hasLeft}</Badge>
        </>
      )}
    </>
  )
}

/** A day such as `2027-02-27` in words, with its year where that is another one. */
export function useDayInWords(): (day: IsoDay) => string {
  const locale = useLocale()
  return (day) => formatDay(locale, new Date(endOfDay(day)), new Date(), tehran)
}

/** What a key may do in a few words. */
export function useScopesInWords(): (scopes: readonly string[]) => string {
  const words = useWords(scopeWords)
  const locale = useLocale()
  return (scopes) => scopesInWords(locale, words, scopes)
}
