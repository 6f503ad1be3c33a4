/** Icons that are known without a word. Those that point somewhere are mirrored in a page from right to left. */
import type { ReactNode } from 'react'
import styles from './icons.module.css'

const paths = {
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  down: 'M7 10l5 5 5-5',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  search: 'M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15.5 15.5L20 20',
  forward: 'M10 6l6 6-6 6',
  alert: 'M12 8v5M12 16.5v.1M12 3.5l9 16H3z',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  key: 'M14.5 4a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM10.5 13.5L4 20M6.5 17.5l2 2',
} as const

export type IconName = keyof typeof paths

const directed = new Set<IconName>(['forward'])

export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }): ReactNode => (
  <svg
    aria-hidden="true"
    className={directed.has(name) ? styles['directed'] : styles['icon']}
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.8"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={paths[name]} />
  </svg>
)

/** The sign of Kherad. */
export const Mark = ({ size = 18 }: { size?: number }): ReactNode => (
  <svg aria-hidden="true" className={styles['mark']} width={size} height={size} viewBox="0 0 18 18">
    <rect x="3" y="3" width="12" height="12" rx="1.8" transform="rotate(45 9 9)" />
  </svg>
)
