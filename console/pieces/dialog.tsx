import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWords } from '../words/use-words.ts'
import styles from './dialog.module.css'
import { pieceWords } from './pieces.words.ts'

interface DialogProps {
  title: ReactNode
  isOpen: boolean
  onClose(): void
  children: ReactNode
}

/** A dialog: it takes the focus, gives it back, and closes by Escape. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps): ReactNode {
  const words = useWords(pieceWords)
  return (
    <Modal
      opened={isOpen}
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

/** The buttons of a dialog; `note` says before what will happen. */
export const DialogActions = ({ note, children }: { note?: ReactNode; children: ReactNode }): ReactNode => (
  <div className={styles['actions']}>
    {note !== undefined && <small>{note}</small>}
    {children}
  </div>
)
