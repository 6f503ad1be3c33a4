import type { ReactNode } from 'react'
import styles from './choices.module.css'

interface ChoicesProps<Value extends string> {
  label: string
  choices: readonly { value: Value; label: string }[]
  value: Value
  onChoose(value: Value): void
}

/** A few choices beside each other, one of which holds. */
export const Choices = <Value extends string>({
  label,
  choices,
  value,
  onChoose,
}: ChoicesProps<Value>): ReactNode => (
  <div className={styles['choices']} role="group" aria-label={label}>
    {choices.map((one) => (
      <button
        key={one.value}
        type="button"
        className={styles['choice']}
        aria-pressed={one.value === value}
        onClick={() => onChoose(one.value)}
      >
        {one.label}
      </button>
    ))}
  </div>
)
