import type { ReactNode } from 'react'
import { useWords } from '../words/use-words.ts'
import styles from './chips.module.css'
import { Icon } from './icons.tsx'
import { pieceWords } from './pieces.words.ts'

interface ChipsProps<Value extends string | number> {
  label: string
  items: readonly { value: Value; label: string }[]
  /** Where there is one, each chip can be taken away. */
  onRemove?: ((value: Value) => void) | undefined
}

/** Short values beside each other. */
export function Chips<Value extends string | number>({
  label,
  items,
  onRemove,
}: ChipsProps<Value>): ReactNode {
  const words = useWords(pieceWords)
  return (
    <ul className={styles['chips']} aria-label={label}>
      {items.map((item) => (
        <li key={item.value} className={styles['chip']}>
          <bdi>{item.label}</bdi>
          {onRemove && (
            <button
              type="button"
              className={styles['remove']}
              aria-label={words.remove(item.label)}
              title={words.remove(item.label)}
              onClick={() => onRemove(item.value)}
            >
              <Icon name="close" size={12} />
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}
