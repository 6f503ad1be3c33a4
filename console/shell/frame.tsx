/** The frame of every page of the shell: navigation at the side, on phones behind a button in the bar. */
import { type ReactNode, useEffect, useState } from 'react'
import { Badge } from '../pieces/badge.tsx'
import { IconButton } from '../pieces/button.tsx'
import { Icon, Mark } from '../pieces/icons.tsx'
import { useWords } from '../words/use-words.ts'
import styles from './frame.module.css'
import { shellWords } from './shell.words.ts'

export interface NavLink {
  path: string
  title: string
}

export interface NavGroup {
  name: string
  /** Undefined for the first group, which needs no title. */
  title: string | undefined
  links: readonly NavLink[]
}

interface FrameProps {
  groups: readonly NavGroup[]
  /** The path of the page that is shown. */
  path: string
  onGo(path: string): void
  /** What can be spent, in the digits of the language; undefined while it is not known. */
  credit: string | undefined
  onPalette(): void
  switcher: ReactNode
  person: ReactNode
  children: ReactNode
}

export function Frame({
  groups,
  path,
  onGo,
  credit,
  onPalette,
  switcher,
  person,
  children,
}: FrameProps): ReactNode {
  const words = useWords(shellWords)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (!isOpen) return
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') setOpen(false)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [isOpen])
  // Whoever goes to another page by whatever link, on a phone too, wants to see it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path closes the navigation.
  useEffect(() => setOpen(false), [path])
  const go = (to: string): void => {
    setOpen(false)
    onGo(to)
  }
  return (
    <div className={styles['frame']}>
      <a className={styles['skip']} href="#page">
        {words.skip}
      </a>
      <header className={styles['bar']}>
        <Brand onGo={go} />
        {credit !== undefined && <Badge kind="teal">{words.credit(credit)}</Badge>}
        <IconButton label={words.menu} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="menu" size={22} />
        </IconButton>
      </header>
      {isOpen && (
        <button
          type="button"
          className={styles['veil']}
          aria-label={words.menu}
          onClick={() => setOpen(false)}
        />
      )}
      <div className={styles['side']} {...(isOpen && { 'data-open': true })}>
        <div className={styles['top']}>
          <Brand onGo={go} />
          <IconButton label={words.palette} aria-keyshortcuts="Meta+K Control+K" onClick={onPalette}>
            <Icon name="search" size={16} />
          </IconButton>
        </div>
        {switcher}
        <Navigation groups={groups} path={path} onGo={go} />
        <div className={styles['end']}>{person}</div>
      </div>
      {/* Under the open navigation of phones nothing is reached by the keyboard or a screen reader. */}
      <main className={styles['main']} id="page" tabIndex={-1} inert={isOpen}>
        <div className={styles['page']}>{children}</div>
      </main>
    </div>
  )
}

function Brand({ onGo }: { onGo(path: string): void }): ReactNode {
  const words = useWords(shellWords)
  return (
    <a className={styles['brand']} href="/" onClick={followed('/', onGo)}>
      <Mark />
      {words.kherad}
    </a>
  )
}

/** A plain click is followed within the page; with a modifier the browser opens its own tab. */
export const followed =
  (path: string, onGo: (path: string) => void) =>
  (event: React.MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return
    event.preventDefault()
    onGo(path)
  }

export function Navigation({ groups, path, onGo }: Pick<FrameProps, 'groups' | 'path' | 'onGo'>): ReactNode {
  const words = useWords(shellWords)
  return (
    <nav className={styles['navigation']} aria-label={words.navigation}>
      {groups.map(({ name, title, links }) => (
        <div key={name} className={styles['navigation']}>
          {title !== undefined && <div className={styles['group']}>{title}</div>}
          {links.map((link) => (
            <a
              key={link.path}
              className={styles['link']}
              href={link.path}
              {...(isAt(path, link.path) && { 'aria-current': 'page' as const })}
              onClick={followed(link.path, onGo)}
            >
              {link.title}
            </a>
          ))}
        </div>
      ))}
    </nav>
  )
}

/** Whether a page is that of the link or one below it. */
const isAt = (path: string, link: string): boolean =>
  path === link || (link !== '/' && path.startsWith(`${link}/`))

interface PageHeadProps {
  title: ReactNode
  lead?: ReactNode
  actions?: ReactNode
}

/** The head of a page: its title, a sentence, and at its end the actions, of which one is primary. */
export const PageHead = ({ title, lead, actions }: PageHeadProps): ReactNode => (
  <div className={styles['head']}>
    <div>
      <h1>{title}</h1>
      {lead !== undefined && <p className={styles['lead']}>{lead}</p>}
    </div>
    {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
  </div>
)
