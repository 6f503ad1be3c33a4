import type { ButtonHTMLAttributes, ReactNode } from 'react'
import styles from './button.module.css'
import { classes } from './classes.ts'

export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger'

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'style'> {
  /** One primary button a view. */
  kind?: ButtonKind
  /** While true the button takes no click and shows that it works. */
  isBusy?: boolean
  isWide?: boolean
}

export function Button({
  kind = 'plain',
  isBusy,
  isWide,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps): ReactNode {
  return (
    <button
      {...rest}
      type={type}
      className={classes(styles['button'], styles[kind], isWide && styles['wide'])}
      {...(isBusy && { 'aria-busy': true, 'aria-disabled': true })}
      onClick={(event) => {
        if (isBusy) return event.preventDefault()
        onClick?.(event)
      }}
    />
  )
}

/** The class of a link that looks as a button; the router's links and plain ones take it. */
export const buttonClass = (kind: ButtonKind = 'plain', isWide = false): string =>
  classes(styles['button'], styles[kind], isWide && styles['wide'])

/** A button within a sentence, that looks as a link. */
export const LinkButton = ({
  type = 'button',
  ...rest
}: Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'style'>): ReactNode => (
  <button {...rest} type={type} className={styles['link']} />
)

/** A button with an icon alone; only where the icon is known without a word. `label` is read by screen readers. */
export const IconButton = ({
  label,
  ...rest
}: Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'style'> & { label: string }): ReactNode => (
  <button
    {...rest}
    type="button"
    aria-label={label}
    title={label}
    className={classes(styles['button'], styles['icon'])}
  />
)
