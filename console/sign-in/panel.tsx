/** The frame of the pages of sign-in: the sign, one panel, and under it what else one may want. */
import { type ReactNode, useEffect } from 'react'
import { Choices } from '../pieces/choices.tsx'
import { Mark } from '../pieces/icons.tsx'
import { languageNames, pieceWords } from '../pieces/pieces.words.ts'
import { chooseLocale, type Locale } from '../words/locale.ts'
import { useLocale, useWords } from '../words/use-words.ts'
import styles from './panel.module.css'
import { signInWords } from './sign-in.words.ts'

interface PanelProps {
  title: string
  lead?: ReactNode
  children?: ReactNode
  below?: ReactNode
}

export function Panel({ title, lead, children, below }: PanelProps): ReactNode {
  const words = useWords(signInWords)
  const pieces = useWords(pieceWords)
  const locale = useLocale()
  useEffect(() => {
    document.title = `${title} · ${words.kherad}`
  }, [title, words])
  return (
    <div className={styles['screen']}>
      <header className={styles['top']}>
        <Choices<Locale>
          label={pieces.language}
          choices={[
            { value: 'fa', label: languageNames.fa },
            { value: 'en', label: languageNames.en },
          ]}
          value={locale}
          onChoose={chooseLocale}
        />
      </header>
      <main className={styles['middle']}>
        <div className={styles['brand']}>
          <Mark size={20} />
          {words.kherad}
        </div>
        <div className={styles['panel']}>
          <div>
            <h1>{title}</h1>
            {lead !== undefined && <p className={styles['lead']}>{lead}</p>}
          </div>
          {children}
        </div>
        {below !== undefined && <div className={styles['below']}>{below}</div>}
      </main>
    </div>
  )
}

export const formClass = styles['form']
export const waysClass = styles['ways']
export const pairClass = styles['pair']
export const orClass = styles['or']
export const leadClass = styles['lead']
