import type { ReactNode } from 'react'
import { LinkButton } from '../../pieces/button.tsx'
import { Notice } from '../../pieces/states.tsx'
import { cleanName } from '../../words/clean-name.ts'
import { formatNumber } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { daysToEnd, soonDays } from './last-use.ts'
import { oneKeyWords } from './one-key.words.ts'
import type { Key } from './settings.ts'

interface KeyNoticesProps {
  of: Key
  mayWrite: boolean
  onRenew(): void
  onRevoke(): void
}

/** What somebody must know of a key before anything else, each with its one action. */
export function KeyNotices({ of, mayWrite, onRenew, onRevoke }: KeyNoticesProps): ReactNode {
  const words = useWords(oneKeyWords)
  const locale = useLocale()
  const left = daysToEnd(of.expires_at, new Date())
  const renew = mayWrite && (
    <>
      {' '}
      <LinkButton onClick={onRenew}>{words.renew}</LinkButton>
    </>
  )
  if (of.state === 'revoked') return <Notice kind="failure">{words.revoked}</Notice>
  return (
    <>
      {of.state === 'expired' && (
        <Notice kind="attention">
          {words.expired}
          {renew}
        </Notice>
      )}
      {left !== undefined && left <= soonDays && (
        <Notice kind="attention">
          {left <= 1 ? words.endingToday : words.ending(formatNumber(locale, left))}
          {renew}
        </Notice>
      )}
      {of.made_by !== null && !of.made_by.is_member && (
        <Notice kind="attention">
          {words.leftTitle(`\u2068${cleanName(of.made_by.display_name)}\u2069`)} {words.leftWhy}
          {mayWrite && (
            <>
              {' '}
              <LinkButton onClick={onRevoke}>{words.revoke}</LinkButton>
            </>
          )}
        </Notice>
      )}
    </>
  )
}
