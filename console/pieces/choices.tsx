import { type ReactNode, useId } from 'react'
import styles from './choices.module.css'
import { classes } from './classes.ts'
import { Icon } from './icons.tsx'

interface ChoicesProps<Value extends string> {
  label: string
  choices: readonly { value: Value; label: string }[]
  /** Undefined while nothing is chosen. */
  value: Value | undefined
  onChoose(value: Value): void
  /** In a form: the label is shown, and the choices are as high as fields. */
  hasLabel?: boolean
  /** What follows from the choice. */
  note?: ReactNode
  error?: string | undefined
}

/** A few choices beside each other, one of which holds. */
export function Choices<Value extends string>({
  label,
  choices,
  value,
  onChoose,
  hasLabel,
  note,
  error,
}: ChoicesProps<Value>): ReactNode {
  const id = useId()
  const buttons = (
    <div
      className={classes(styles['choices'], hasLabel && styles['large'])}
      role="group"
      aria-label={label}
      {...(hasLabel && { 'aria-describedby': `${id}-note` })}
    >
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
  if (!hasLabel) return buttons
  return (
    <div className={styles['field']}>
      <div className={styles['label']} aria-hidden="true">
        {label}
      </div>
      {buttons}
      <div className={styles['note']} id={`${id}-note`} aria-live="polite">
        {note}
      </div>
      <div role="alert">
        {error !== undefined && (
          <div className={styles['error']}>
            <Icon name="alert" size={14} />
            <span>{error}</span>
          </div>
        )}
      </div>
    </div>
  )
}
