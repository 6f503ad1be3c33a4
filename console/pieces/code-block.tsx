import { type ReactNode, useId, useState } from 'react'
import { partsOfCode } from '../words/isolated.ts'
import { CopyButton } from './copy-button.tsx'
import styles from './copy-field.module.css'
import { tabKeys } from './tab-keys.ts'

export interface CodeSample {
  /** The name of the language or tool, in Latin letters. */
  language: string
  code: string
}

interface CodeBlockProps {
  samples: readonly CodeSample[]
  label: string
  onCopied?: () => void
}

/** The same call in several languages. */
export function CodeBlock({ samples, label, onCopied }: CodeBlockProps): ReactNode {
  const id = useId()
  const [shown, setShown] = useState(0)
  const sample = samples[shown] ?? samples[0]!
  return (
    <div className={styles['block']}>
      <div className={styles['tabs']}>
        <div
          className={styles['tabs']}
          role="tablist"
          aria-label={label}
          onKeyDown={tabKeys(shown, samples.length, setShown)}
        >
          {samples.map(({ language }, at) => (
            <button
              key={language}
              type="button"
              role="tab"
              id={`${id}-tab-${at}`}
              aria-selected={at === shown}
              aria-controls={`${id}-code`}
              tabIndex={at === shown ? 0 : -1}
              className={styles['tab']}
              onClick={() => setShown(at)}
            >
              {language}
            </button>
          ))}
        </div>
        <div className={styles['copy']}>
          <CopyButton text={sample.code} kind="quiet" onCopied={onCopied} />
        </div>
      </div>
      {/* Code that scrolls must be reachable by the keyboard. */}
      <pre
        className={styles['code']}
        id={`${id}-code`}
        role="tabpanel"
        aria-labelledby={`${id}-tab-${shown}`}
        tabIndex={0}
      >
        {partsOfCode(sample.code).map(({ text, isRtl }, at) =>
          isRtl ? (
            <bdi key={at} dir="rtl">
              {text}
            </bdi>
          ) : (
            text
          ),
        )}
      </pre>
    </div>
  )
}
