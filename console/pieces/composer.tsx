import { type KeyboardEvent, type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react'
import { directionOf } from '../words/locale.ts'
import { useLocale, useWords } from '../words/use-words.ts'
import { Button } from './button.tsx'
import styles from './composer.module.css'
import { asksHalfSpace, insertAtCaret, spaceFor } from './half-space.ts'
import { pieceWords } from './pieces.words.ts'

interface ComposerProps {
  value: string
  onChange(value: string): void
  /** Called by Enter or the button; the text stays until the caller takes it away. */
  onSend(): void
  label: string
  placeholder?: string
  /** The word on the button. */
  verb: string
  canSend?: boolean
  maxLength?: number
  /** Under the text: the model, the price, attachments. */
  children?: ReactNode
}

/** Where a message is written: it grows with its text, Enter sends, Shift+Enter breaks the line. On phones Enter breaks it, and the button sends. */
export function Composer({
  value,
  onChange,
  onSend,
  label,
  placeholder,
  verb,
  canSend = true,
  maxLength,
  children,
}: ComposerProps): ReactNode {
  const words = useWords(pieceWords)
  const direction = directionOf(useLocale())
  const area = useRef<HTMLTextAreaElement>(null)
  useGrowing(area, value)
  const insertSpace = (): void => {
    const { current } = area
    if (!current) return
    const space = spaceFor(current.value, current.selectionStart, current.selectionEnd, direction)
    if (space !== '') insertAtCaret(current, space)
    else current.focus()
  }
  const send = (): void => {
    if (canSend && value.trim() !== '') onSend()
  }
  const pressKey = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    // While letters are composed, their keys belong to the method of input; Safari tells the last of them by its number alone.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return
    if (asksHalfSpace(event)) {
      event.preventDefault()
      insertSpace()
    } else if (event.key === 'Enter' && !event.shiftKey && !isTouched()) {
      event.preventDefault()
      send()
    }
  }
  return (
    <div className={styles['composer']}>
      <textarea
        ref={area}
        dir="auto"
        rows={1}
        className={styles['area']}
        aria-label={label}
        placeholder={placeholder}
        maxLength={maxLength}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={pressKey}
      />
      <div className={styles['foot']}>
        <div className={styles['more']}>{children}</div>
        <div className={styles['space']}>
          {/* The focus, and with it the keyboard of the phone, stays where it is. */}
          <Button kind="quiet" onPointerDown={(event) => event.preventDefault()} onClick={insertSpace}>
            {words.halfSpace}
          </Button>
        </div>
        <Button kind="primary" disabled={!canSend || value.trim() === ''} onClick={send}>
          {verb}
        </Button>
      </div>
    </div>
  )
}

const isTouched = (): boolean => window.matchMedia('(hover: none) and (pointer: coarse)').matches

/** Browsers that do not size a field by its content are told its height. */
function useGrowing(area: RefObject<HTMLTextAreaElement | null>, value: string): void {
  useLayoutEffect(() => {
    const { current } = area
    if (!current || CSS.supports('field-sizing', 'content')) return
    current.style.blockSize = 'auto'
    if (value !== '') current.style.blockSize = `${current.scrollHeight}px`
  }, [area, value])
}
