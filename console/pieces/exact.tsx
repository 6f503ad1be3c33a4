import { type ReactNode, useState } from 'react'
import { useWords } from '../words/use-words.ts'
import styles from './exact.module.css'
import { pieceWords } from './pieces.words.ts'
import { Unseen } from './unseen.tsx'

/** A figure of credits that is cut, and the whole of it, which is `exact`: below it while it is pointed at, has the focus or was pressed, and in its place for screen readers. */
export function Exact({ exact, children }: { exact: string; children: string }): ReactNode {
  const words = useWords(pieceWords)
  const [isShown, setShown] = useState(false)
  return (
    <button
      type="button"
      className={styles['exact']}
      data-shown={isShown}
      onClick={() => setShown(!isShown)}
      onBlur={() => setShown(false)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setShown(false)
      }}
    >
      <bdi aria-hidden="true">{children}</bdi>
      <Unseen>{words.exact(exact)}</Unseen>
      <span className={styles['whole']} aria-hidden="true">
        {words.exact(exact)}
      </span>
    </button>
  )
}
