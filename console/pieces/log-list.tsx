import { type ReactNode, useId } from 'react'
import { formatClock, formatFull } from '../words/dates.ts'
import { useLocale } from '../words/use-words.ts'
import { Icon } from './icons.tsx'
import styles from './log-list.module.css'
import { Unseen } from './unseen.tsx'

export interface LogItem {
  key: string
  /** The moment, in RFC 3339. */
  at: string
  /** Who did what, in a sentence. */
  text: ReactNode
  /** A note at the end of the line. */
  to?: ReactNode
}

interface LogListProps<Item extends LogItem> {
  label: string
  /** What happened on a day, the newest first. */
  days: readonly { title: string; items: readonly Item[] }[]
  /** The item that is open, whose detail stands below its line. */
  openKey: string | undefined
  /** Opens an item, or closes the open one. */
  onOpen(key: string | undefined): void
  detailOf(item: Item): ReactNode
}

/** What happened, day by day: a line each, which opens. Times are those of Tehran. */
export function LogList<Item extends LogItem>({
  label,
  days,
  openKey,
  onOpen,
  detailOf,
}: LogListProps<Item>): ReactNode {
  return (
    <section aria-label={label}>
      {days.map(({ title, items }) => (
        <div key={title} className={styles['day']}>
          <h2 className={styles['title']}>{title}</h2>
          <ul>
            {items.map((item) => (
              <Line
                key={item.key}
                item={item}
                isOpen={item.key === openKey}
                onOpen={onOpen}
                detailOf={detailOf}
              />
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}

interface LineProps<Item extends LogItem> extends Pick<LogListProps<Item>, 'onOpen' | 'detailOf'> {
  item: Item
  isOpen: boolean
}

function Line<Item extends LogItem>({ item, isOpen, onOpen, detailOf }: LineProps<Item>): ReactNode {
  const locale = useLocale()
  const id = useId()
  const moment = new Date(item.at)
  const full = formatFull(locale, moment, { timeZone: 'Asia/Tehran' })
  return (
    <li className={styles['item']} {...(isOpen && { 'data-open': true })}>
      <button
        type="button"
        className={styles['line']}
        aria-expanded={isOpen}
        aria-controls={`${id}-detail`}
        onClick={() => onOpen(isOpen ? undefined : item.key)}
      >
        <time className={styles['clock']} dateTime={item.at} title={full}>
          <span aria-hidden="true">{formatClock(locale, moment, { timeZone: 'Asia/Tehran' })}</span>
          <Unseen>{full}</Unseen>
        </time>
        <span className={styles['text']}>{item.text}</span>
        {item.to !== undefined && <span className={styles['to']}>{item.to}</span>}
        <span className={styles['sign']}>
          <Icon name="down" size={16} />
        </span>
      </button>
      <div id={`${id}-detail`} className={styles['detail']} hidden={!isOpen}>
        {isOpen && detailOf(item)}
      </div>
    </li>
  )
}
