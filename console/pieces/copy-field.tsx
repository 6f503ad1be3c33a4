import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import styles from './copy-field.module.css'

/** A secret, a link or an id to take along, in full. */
export const CopyField = ({
  text,
  isPrimary = false,
  onCopied,
}: {
  text: string
  isPrimary?: boolean
  onCopied?: () => void
}): ReactNode => (
  <div className={styles['field']}>
    <code className={styles['text']}>{text}</code>
    <CopyButton text={text} kind={isPrimary ? 'primary' : 'plain'} onCopied={onCopied} />
  </div>
)
