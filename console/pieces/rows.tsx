import type { ReactNode } from 'react'
import styles from './rows.module.css'

/** Things below each other, each with what can be done to it; for short lists without columns. */
export const Rows = ({ label, children }: { label: string; children: ReactNode }): ReactNode => (
  <ul className={styles['rows']} aria-label={label}>
    {children}
  </ul>
)

interface RowProps {
  title: ReactNode
  /** States in a word, after the title. */
  badges?: ReactNode
  note?: ReactNode
  actions?: ReactNode
}

export const Row = ({ title, badges, note, actions }: RowProps): ReactNode => (
  <li className={styles['row']}>
    <div className={styles['text']}>
      <div className={styles['title']}>
        <strong>{title}</strong>
        {badges}
      </div>
      {note !== undefined && <div className={styles['note']}>{note}</div>}
    </div>
    {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
  </li>
)
