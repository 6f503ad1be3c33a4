import { type ReactNode, useEffect, useState } from 'react'
import { type CodePart, partsOfCode } from '../../words/isolated.ts'
import { useWords } from '../../words/use-words.ts'
import { CopyButton } from '../copy-button.tsx'
import type { CodeToken } from './highlight.ts'
import styles from './markdown.module.css'
import { markdownWords } from './markdown.words.ts'

/** Longer code, and code with a longer line, has no colours: the patterns that find them cost up to the square of a line (measured for Java). */
const maxLength = 20_000
const maxLineLength = 1_000

/** A block of code from left to right, with its language and a button that copies it; its colours come when it is whole. */
export function Code({
  code,
  language,
  isOpen = false,
}: {
  code: string
  language: string
  isOpen?: boolean
}): ReactNode {
  const words = useWords(markdownWords)
  const tokens = useTokens(code, language, isOpen)
  return (
    <div className={styles['code']}>
      <div className={styles['head']}>
        <bdi dir="ltr">{language || words.code}</bdi>
        <CopyButton text={code} kind="quiet" />
      </div>
      {/* Code that scrolls must be reachable by the keyboard. */}
      <pre tabIndex={0} role="group" aria-label={language || words.code}>
        {tokens.map(({ text, kind }, at) => (
          <span key={at} {...(kind !== undefined && { 'data-kind': kind })}>
            {partsOf(text, isOpen).map((part, of) =>
              part.isRtl ? (
                <bdi key={of} dir="rtl">
                  {part.text}
                </bdi>
              ) : (
                part.text
              ),
            )}
          </span>
        ))}
      </pre>
    </div>
  )
}

const isReadable = (code: string): boolean =>
  code.length <= maxLength && code.split('\n').every((line) => line.length <= maxLineLength)

/** Quoted texts from right to left are looked for in code that is whole and readable: they too cost the square of a line. */
const partsOf = (text: string, isOpen: boolean): CodePart[] =>
  isOpen || !isReadable(text) ? [{ text, isRtl: false }] : partsOfCode(text)

function useTokens(code: string, language: string, isOpen: boolean): readonly CodeToken[] {
  const [found, setFound] = useState<{ code: string; tokens: CodeToken[] }>()
  useEffect(() => {
    if (isOpen || language === '' || !isReadable(code)) return
    let isCurrent = true
    const colour = async (): Promise<void> => {
      const { tokensOf } = await import('./highlight.ts')
      const tokens = tokensOf(code, language.toLowerCase())
      if (isCurrent && tokens) setFound({ code, tokens })
    }
    // Without the chunk, as after an update of the server, the code stays as it is.
    colour().catch(() => {})
    return () => {
      isCurrent = false
    }
  }, [code, language, isOpen])
  return found?.code === code ? found.tokens : [{ text: code, kind: undefined }]
}
