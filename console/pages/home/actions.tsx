import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { buttonClass } from '../../pieces/button.tsx'
import { pages } from '../../shell/pages.ts'
import { useWords } from '../../words/use-words.ts'
import { homeWords } from './home.words.ts'

export type May = (right: string) => boolean

/** Whether somebody with these rights invites colleagues, on a page that is there. */
export const mayInvite = (may: May): boolean =>
  may('members:write') && pages.some(({ path }) => path === '/members')

/** What is begun from Home, for whoever may. */
export function Actions({ may }: { may: May }): ReactNode {
  const words = useWords(homeWords)
  return (
    <>
      {mayInvite(may) && (
        <Link to="/members" className={buttonClass('plain')}>
          {words.invite}
        </Link>
      )}
      {may('keys:write') && (
        <Link to="/keys/new" className={buttonClass('primary')}>
          {words.makeKey}
        </Link>
      )}
    </>
  )
}
