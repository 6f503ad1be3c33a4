/** ⌘K: pages and actions by their names. It is loaded when it is first opened. */
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { Dialog } from '../pieces/dialog.tsx'
import { useWords } from '../words/use-words.ts'
import styles from './palette.module.css'
import { found, type PaletteCommand } from './palette-search.ts'
import { shellWords } from './shell.words.ts'

interface PaletteProps {
  commands: readonly PaletteCommand[]
  onClose(): void
}

export default function Palette({ commands, onClose }: PaletteProps): ReactNode {
  const words = useWords(shellWords)
  const id = useId()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const shown = found(commands, text)
  const chosen = shown[Math.min(at, shown.length - 1)]
  const run = (command: PaletteCommand | undefined): void => {
    if (!command) return
    onClose()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      if (shown.length > 0) setAt((Math.min(at, shown.length - 1) + step + shown.length) % shown.length)
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      run(chosen)
    }
  }
  return (
    <Dialog title={words.palette} isOpen onClose={onClose}>
      <input
        className={styles['input']}
        data-autofocus
        role="combobox"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={chosen && `${id}-${chosen.name}`}
        aria-label={words.palette}
        placeholder={words.paletteHint}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div className={styles['list']} role="listbox" id={`${id}-list`} aria-label={words.palette}>
        {shown.map((command) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus.
          <div
            key={command.name}
            id={`${id}-${command.name}`}
            role="option"
            tabIndex={-1}
            aria-selected={command === chosen}
            className={styles['item']}
            onClick={() => run(command)}
          >
            <span>{command.title}</span>
            {command.note !== undefined && <small>{command.note}</small>}
          </div>
        ))}
      </div>
      {shown.length === 0 && <div className={styles['none']}>{words.nothing}</div>}
    </Dialog>
  )
}
