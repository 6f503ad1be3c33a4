import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import styles from './field.module.css'
import { Icon } from './icons.tsx'

interface SearchFieldProps {
  /** What is searched, for screen readers. */
  label: string
  /** What one may type. */
  placeholder: string
  value: string
  onChange(value: string): void
}

/** A field above a list, which is filtered while one types. */
export const SearchField = ({ label, placeholder, value, onChange }: SearchFieldProps): ReactNode => (
  <div className={classes(styles['box'], styles['search'])} role="search">
    <Icon name="search" size={16} />
    <input
      type="search"
      className={styles['input']}
      aria-label={label}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      maxLength={200}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  </div>
)
