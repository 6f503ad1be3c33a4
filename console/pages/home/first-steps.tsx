import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Card } from '../../pieces/card.tsx'
import { useWords } from '../../words/use-words.ts'
import { type May, mayInvite } from './actions.tsx'
import styles from './home.module.css'
import { homeWords } from './home.words.ts'

/** What somebody does in a project that nobody has called yet. */
export function FirstSteps({ may }: { may: May }): ReactNode {
  const words = useWords(homeWords)
  return (
    <Card title={words.firstTitle} action={<a href="/docs">{words.reference}</a>}>
      <p className={styles['lead']}>{words.firstLead}</p>
      <ol className={styles['steps']}>
        <li>
          <h3>{may('keys:write') ? <Link to="/keys/new">{words.stepKey}</Link> : words.stepKey}</h3>
          <p>{may('keys:write') ? words.stepKeyWhy : words.stepKeyWho}</p>
        </li>
        <li>
          <h3>{words.stepCall}</h3>
          <p>{words.stepCallWhy}</p>
        </li>
        {mayInvite(may) && (
          <li>
            <h3>
              <Link to="/members">{words.stepInvite}</Link>
            </h3>
            <p>{words.stepInviteWhy}</p>
          </li>
        )}
      </ol>
    </Card>
  )
}
