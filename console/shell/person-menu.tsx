import type { ReactNode } from 'react'
import { useSyncExternalStore } from 'react'
import { chooseScheme, chosenScheme, type Scheme, subscribeScheme } from '../look/scheme.ts'
import { Choices } from '../pieces/choices.tsx'
import { languageNames, pieceWords } from '../pieces/pieces.words.ts'
import { chooseLocale, type Locale } from '../words/locale.ts'
import { Name } from '../words/personal.tsx'
import { useLocale, useWords } from '../words/use-words.ts'
import { useDisclosure } from './disclosure.ts'
import { followed } from './frame.tsx'
import { initialsOf } from './initials.ts'
import { pageWords } from './pages.words.ts'
import { shellWords } from './shell.words.ts'
import styles from './switcher.module.css'

interface PersonMenuProps {
  name: string
  /** The role in words. */
  role: string
  onGo(path: string): void
  onSignOut(): void
}

/** The person at the end of the navigation, with language, colours and the way out. */
export function PersonMenu({ name, role, onGo, onSignOut }: PersonMenuProps): ReactNode {
  const words = useWords(shellWords)
  const titles = useWords(pageWords)
  const { isOpen, setOpen, ref } = useDisclosure()
  const goAway = (path: string): void => {
    setOpen(false)
    onGo(path)
  }
  return (
    <div className={styles['switcher']} ref={ref}>
      <button
        type="button"
        className={styles['person']}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span className={styles['initials']} aria-hidden="true">
          {initialsOf(name)}
        </span>
        <strong>
          <Name>{name}</Name>
        </strong>
        <small>{role}</small>
      </button>
      {isOpen && (
        <div className={`${styles['list']} ${styles['above']}`}>
          <Preferences />
          <a className={styles['item']} href="/profile" onClick={followed('/profile', goAway)}>
            {titles.profile}
          </a>
          <a className={styles['item']} href="/docs">
            {words.docs}
          </a>
          <button type="button" className={styles['item']} onClick={onSignOut}>
            {words.signOut}
          </button>
        </div>
      )}
    </div>
  )
}

/** The choice of language and colours. */
export function Preferences(): ReactNode {
  const words = useWords(shellWords)
  const pieces = useWords(pieceWords)
  const scheme = useSyncExternalStore(subscribeScheme, chosenScheme)
  const locale = useLocale()
  return (
    <div className={styles['choices']}>
      <Choices<Locale>
        label={pieces.language}
        choices={[
          { value: 'fa', label: languageNames.fa },
          { value: 'en', label: languageNames.en },
        ]}
        value={locale}
        onChoose={chooseLocale}
      />
      <Choices<Scheme>
        label={words.scheme}
        choices={[
          { value: 'auto', label: pieces.auto },
          { value: 'light', label: pieces.light },
          { value: 'dark', label: pieces.dark },
        ]}
        value={scheme}
        onChoose={chooseScheme}
      />
    </div>
  )
}
