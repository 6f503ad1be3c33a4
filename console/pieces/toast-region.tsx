import { type ReactNode, useEffect, useSyncExternalStore } from 'react'
import { useWords } from '../words/use-words.ts'
import { Button, IconButton } from './button.tsx'
import { Icon } from './icons.tsx'
import { pieceWords } from './pieces.words.ts'
import styles from './toast-region.module.css'
import { closeToast, currentToasts, endToasts, subscribeToasts } from './toasts.ts'

/** Where messages appear; once in a page. */
export function ToastRegion(): ReactNode {
  const words = useWords(pieceWords)
  const toasts = useSyncExternalStore(subscribeToasts, currentToasts)
  useEffect(() => {
    addEventListener('pagehide', endToasts)
    return () => removeEventListener('pagehide', endToasts)
  }, [])
  return (
    <section className={styles['region']} aria-label={words.notifications} aria-live="polite">
      {toasts.map(({ id, text, kind, undo }) => (
        <div key={id} className={styles['toast']} data-kind={kind}>
          <span className={styles['text']}>{text}</span>
          {undo && (
            <Button kind="quiet" onClick={undo}>
              {words.undo}
            </Button>
          )}
          <IconButton label={words.close} onClick={() => closeToast(id)}>
            <Icon name="close" size={16} />
          </IconButton>
        </div>
      ))}
    </section>
  )
}
