import type { ReactNode } from 'react'
import styles from './unseen.module.css'

/** Words for screen readers alone, within a text. */
export const Unseen = ({ children }: { children: ReactNode }): ReactNode => (
  <span className={styles['unseen']}>{children}</span>
)

/** A block for screen readers alone, such as the table of a chart. */
export const UnseenBlock = ({ children }: { children: ReactNode }): ReactNode => (
  <div className={styles['unseen']}>{children}</div>
)
