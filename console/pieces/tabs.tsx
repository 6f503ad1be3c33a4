import { type ReactNode, useEffect, useId } from 'react'
import { tabKeys } from './tab-keys.ts'
import styles from './tabs.module.css'

export interface Tab<Name extends string> {
  name: Name
  title: string
}

interface TabsProps<Name extends string> {
  label: string
  tabs: readonly Tab<NoInfer<Name>>[]
  shown: Name
  /** Writes the name into the address, so that a reload shows the same tab. */
  onShow(name: NoInfer<Name>): void
  children: ReactNode
}

export function Tabs<Name extends string>({
  label,
  tabs,
  shown,
  onShow,
  children,
}: TabsProps<Name>): ReactNode {
  const id = useId()
  const at = tabs.findIndex(({ name }) => name === shown)
  // On phones the list may be wider than the page.
  useEffect(() => {
    document.getElementById(`${id}-${shown}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [id, shown])
  return (
    <div>
      <div
        className={styles['list']}
        role="tablist"
        aria-label={label}
        onKeyDown={tabKeys(at, tabs.length, (next) => onShow(tabs[next]!.name))}
      >
        {tabs.map(({ name, title }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === shown}
            aria-controls={`${id}-panel`}
            tabIndex={name === shown ? 0 : -1}
            className={styles['tab']}
            onClick={() => onShow(name)}
          >
            {title}
          </button>
        ))}
      </div>
      <div className={styles['panel']} id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${shown}`}>
        {children}
      </div>
    </div>
  )
}
