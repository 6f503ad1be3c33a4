import { type ReactNode, useState } from 'react'
import { Icon } from '../pieces/icons.tsx'
import { Name } from '../words/personal.tsx'
import { useWords } from '../words/use-words.ts'
import { useDisclosure } from './disclosure.ts'
import { type AccountPlace, foundPlaces, linesOf, searchedLines } from './places.ts'
import { shellWords } from './shell.words.ts'
import styles from './switcher.module.css'

/** The list is opened to choose from it, which begins with the search. */
const takeFocus = (input: HTMLInputElement | null): void => input?.focus()

interface ProjectSwitcherProps {
  places: readonly AccountPlace[]
  projectId: string | undefined
  onChoose(projectId: string): void
}

/** Accounts with their projects, searched where there are many; what is chosen is what all pages are about. */
export function ProjectSwitcher({ places, projectId, onChoose }: ProjectSwitcherProps): ReactNode {
  const words = useWords(shellWords)
  const { isOpen, setOpen, ref } = useDisclosure()
  const [text, setText] = useState('')
  const isSearched = linesOf(places) > searchedLines
  const shown = isSearched ? foundPlaces(places, text) : places
  const chosen = places.flatMap(({ projects }) => projects).find((one) => one.projectId === projectId)
  return (
    <div className={styles['switcher']} ref={ref}>
      <button
        type="button"
        className={styles['button']}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <small>{words.project}</small>
        <span className={styles['chosen']}>{chosen ? <Name>{chosen.name}</Name> : words.noProject}</span>
        <Icon name="down" size={16} />
      </button>
      {isOpen && (
        <div className={styles['list']}>
          {isSearched && (
            <input
              type="search"
              className={styles['search']}
              aria-label={words.searchPlaces}
              placeholder={words.searchPlaces}
              dir="auto"
              ref={takeFocus}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
          {shown.length === 0 && <div className={styles['account']}>{words.nothing}</div>}
          {shown.map(({ accountId, accountName, projects }) => (
            <div key={accountId}>
              <div className={styles['account']}>
                <Name>{accountName}</Name>
              </div>
              {projects.map((one) => (
                <button
                  key={one.projectId}
                  type="button"
                  className={styles['item']}
                  aria-pressed={one.projectId === projectId}
                  onClick={() => {
                    setOpen(false)
                    setText('')
                    onChoose(one.projectId)
                  }}
                >
                  <Name>{one.name}</Name>
                  {one.projectId === projectId && <Icon name="check" size={16} />}
                </button>
              ))}
            </div>
          ))}
        </div>
      )}
    </div>
  )
}
