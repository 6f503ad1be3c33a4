import type { ReactNode } from 'react'
import styles from './badge.module.css'
import { classes } from './classes.ts'

export type BadgeKind = 'plain' | 'good' | 'attention' | 'failure' | 'teal'

/** A state in a word; the colour only repeats it. */
export const Badge = ({ kind = 'plain', children }: { kind?: BadgeKind; children: ReactNode }): ReactNode => (
  <span className={classes(styles['badge'], styles[kind])}>{children}</span>
)
