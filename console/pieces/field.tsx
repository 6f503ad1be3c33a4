/** Fields of forms: each has its label, a hint, and beside it the refusal in the words of the API. */
import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId, useState } from 'react'
import { readCode } from '../words/digits.ts'
import { useWords } from '../words/use-words.ts'
import { classes } from './classes.ts'
import { faultOf } from './faults.ts'
import styles from './field.module.css'
import { useTried } from './form.tsx'
import { Icon } from './icons.tsx'
import { pieceWords } from './pieces.words.ts'

export interface FieldProps {
  label: string
  hint?: ReactNode
  /** Why the value was refused; undefined where it was not. */
  error?: string | undefined
  /** A link or a note at the end of the label's line. */
  aside?: ReactNode
}

interface ShapeProps extends FieldProps {
  id: string
  children: ReactNode
}

/** The ids by which an input points at its hint and its refusal. */
export const describedBy = (
  id: string,
  { hint, error }: Pick<FieldProps, 'hint' | 'error'>,
): string | undefined =>
  [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(' ') ||
  undefined

export function FieldShape({ id, label, hint, error, aside, children }: ShapeProps): ReactNode {
  return (
    <div className={styles['field']}>
      <div className={styles['label']}>
        <label htmlFor={id}>{label}</label>
        {aside !== undefined && <span className={styles['aside']}>{aside}</span>}
      </div>
      {children}
      {hint !== undefined && (
        <div className={styles['hint']} id={`${id}-hint`}>
          {hint}
        </div>
      )}
      <div role="alert">
        {error !== undefined && (
          <div className={styles['error']} id={`${id}-error`}>
            <Icon name="alert" size={14} />
            <span>{error}</span>
          </div>
        )}
      </div>
    </div>
  )
}

type InputProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'style' | 'onChange' | 'value'>

export interface TextFieldProps extends FieldProps, InputProps {
  value: string
  onChange(value: string): void
  /** What is typed from left to right whatever the language, such as an address. */
  isLtr?: boolean
  /** What stands in the box after the input: a unit, a button. */
  end?: ReactNode
  inputClass?: string | undefined
}

export function TextField({
  label,
  hint,
  error: refusal,
  aside,
  value,
  onChange,
  isLtr,
  end,
  inputClass,
  ...rest
}: TextFieldProps): ReactNode {
  const id = useId()
  const words = useWords(pieceWords)
  const fault = useTried() ? faultOf({ value, required: rest.required, type: rest.type }) : undefined
  const error = refusal ?? (fault && words.faults[fault])
  return (
    <FieldShape id={id} label={label} hint={hint} error={error} aside={aside}>
      <div
        className={styles['box']}
        {...(error !== undefined && { 'data-invalid': true })}
        {...(rest.disabled && { 'data-disabled': true })}
      >
        <input
          {...rest}
          id={id}
          className={classes(styles['input'], isLtr && styles['ltr'], inputClass)}
          value={value}
          // A dialog gives the focus to what is marked so, once it is open.
          data-autofocus={rest.autoFocus}
          aria-invalid={error !== undefined}
          aria-describedby={describedBy(id, { hint, error })}
          onChange={(event) => onChange(event.target.value)}
        />
        {end}
      </div>
    </FieldShape>
  )
}

/** A password, which can be shown while it is typed. */
export function PasswordField(props: Omit<TextFieldProps, 'type' | 'end' | 'isLtr'>): ReactNode {
  const words = useWords(pieceWords)
  const [isShown, setShown] = useState(false)
  return (
    <TextField
      {...props}
      isLtr
      type={isShown ? 'text' : 'password'}
      autoCapitalize="off"
      spellCheck={false}
      end={
        <button
          type="button"
          className={styles['side']}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? words.hide : words.show}
        </button>
      }
    />
  )
}

/** A one-time code. Takes Persian, Arabic and Latin digits; `onChange` and `onComplete` get Latin ones. */
export function CodeField({
  length = 6,
  onChange,
  onComplete,
  ...rest
}: Omit<TextFieldProps, 'type'> & { length?: number; onComplete?(code: string): void }): ReactNode {
  return (
    <TextField
      {...rest}
      inputClass={styles['code']}
      inputMode="numeric"
      autoComplete="one-time-code"
      autoCapitalize="off"
      spellCheck={false}
      maxLength={length + 6}
      onChange={(typed) => {
        const code = readCode(typed).replace(/\D/g, '').slice(0, length)
        onChange(code)
        if (code.length === length) onComplete?.(code)
      }}
    />
  )
}

type AreaProps = Omit<
  TextareaHTMLAttributes<HTMLTextAreaElement>,
  'className' | 'style' | 'onChange' | 'value'
>

/** A text of several lines, each of which has its own direction. */
export function TextArea({
  label,
  hint,
  error,
  aside,
  value,
  onChange,
  ...rest
}: FieldProps & AreaProps & { value: string; onChange(value: string): void }): ReactNode {
  const id = useId()
  return (
    <FieldShape id={id} label={label} hint={hint} error={error} aside={aside}>
      <div className={styles['box']} {...(error !== undefined && { 'data-invalid': true })}>
        <textarea
          {...rest}
          id={id}
          dir="auto"
          className={styles['input']}
          value={value}
          aria-invalid={error !== undefined}
          aria-describedby={describedBy(id, { hint, error })}
          onChange={(event) => onChange(event.target.value)}
        />
      </div>
    </FieldShape>
  )
}

export const unitClass = styles['unit']

export const CheckField = ({
  label,
  hint,
  isChecked,
  onChange,
}: {
  label: ReactNode
  hint?: ReactNode
  isChecked: boolean
  onChange(isChecked: boolean): void
}): ReactNode => (
  <label className={styles['check']}>
    <input type="checkbox" checked={isChecked} onChange={(event) => onChange(event.target.checked)} />
    <span>
      {label}
      {hint !== undefined && <small>{hint}</small>}
    </span>
  </label>
)
