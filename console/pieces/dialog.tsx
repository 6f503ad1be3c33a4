import { Modal } from '@mantine/core'
import { type ReactNode, useEffect, useId, useState, useSyncExternalStore } from 'react'
import { useWords } from '../words/use-words.ts'
import styles from './dialog.module.css'
import { pieceWords } from './pieces.words.ts'

interface DialogProps {
  title: ReactNode
  isOpen: boolean
  onClose(): void
  children: ReactNode
}

/** The dialogs that are open, the topmost last: a step-up opens above the dialog whose call asked for it. */
let open: readonly string[] = []
const listeners = new Set<() => void>()

function setOpen(next: readonly string[]): void {
  open = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether the dialog is the topmost one, which alone closes by Escape. */
function useIsTop(isOpen: boolean): boolean {
  const id = useId()
  useEffect(() => {
    if (!isOpen) return
    setOpen([...open, id])
    return () => setOpen(open.filter((one) => one !== id))
  }, [isOpen, id])
  return useSyncExternalStore(subscribe, () => open.at(-1) === id)
}

/** A dialog: it takes the focus, gives it back, and closes by Escape. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps): ReactNode {
  const words = useWords(pieceWords)
  const isTop = useIsTop(isOpen)
  useFocusBack(isOpen)
  return (
    <Modal
      opened={isOpen}
      closeOnEscape={isTop}
      onClose={onClose}
      title={title}
      centered
      // The lock of Mantine writes a style element without the nonce; base.css locks the page.
      lockScroll={false}
      transitionProps={{ duration: 120, transition: 'fade' }}
      closeButtonProps={{ 'aria-label': words.close }}
      classNames={{
        content: styles['content']!,
        overlay: styles['overlay']!,
        header: styles['header']!,
        title: styles['title']!,
        body: styles['body']!,
      }}
    >
      {children}
    </Modal>
  )
}

/**
 * Gives the focus back when a dialog leaves the page together with what opened it: to what had it before, or where that is gone to the page. Of a
 * dialog that stays and is closed, Mantine does the same.
 */
function useFocusBack(isOpen: boolean): void {
  const [before] = useState(() => document.activeElement)
  useEffect(() => {
    if (!isOpen) return
    return () => {
      if (document.activeElement !== document.body) return
      const target = before?.isConnected ? before : document.getElementById('page')
      if (target instanceof HTMLElement) target.focus({ preventScroll: true })
    }
  }, [before, isOpen])
}

/** The buttons of a dialog; `note` says before what will happen. */
export const DialogActions = ({ note, children }: { note?: ReactNode; children: ReactNode }): ReactNode => (
  <div className={styles['actions']}>
    {note !== undefined && <small>{note}</small>}
    {children}
  </div>
)
