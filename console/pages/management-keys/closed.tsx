import type { ReactNode } from 'react'
import { Card } from '../../pieces/card.tsx'
import { useWords } from '../../words/use-words.ts'
import styles from './management-keys.module.css'
import { managementWords } from './management-keys.words.ts'

/** What no management key can do, whatever it is allowed. */
export function Closed(): ReactNode {
  const words = useWords(managementWords)
  return (
    <Card title={words.closedTitle}>
      <ul className={styles['closed']}>
        {words.closed.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    </Card>
  )
}
