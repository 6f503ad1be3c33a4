import type { MouseEvent, ReactNode } from 'react'
import { classes } from './classes.ts'
import styles from './table.module.css'

export interface Column<Row> {
  name: string
  title: string
  /** Lines below the title, such as the units of the figures. */
  note?: string
  /** `figures`: set at the end in equal digits, so that decimal marks stand below each other; `clock`: equal digits too. */
  kind?: 'text' | 'figures' | 'clock'
  /** Left out on phones, where the first column says the same. */
  isWide?: boolean
  cell(row: Row): ReactNode
}

interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
  /** Opens a row; its first cell must then have a link or a button for the keyboard. */
  onOpen?: (row: Row) => void
  openKey?: string | undefined
  /** On phones each row is a card, whose first cell is its title; figures then stand beside their titles. */
  hasCards?: boolean
}

export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
  onOpen,
  openKey,
  hasCards,
}: TableProps<Row>): ReactNode {
  return (
    // A region that scrolls must be reachable by the keyboard.
    <section className={styles['scroll']} aria-label={label} tabIndex={0}>
      {/* The roles stay where the style of cards takes them from the elements. */}
      <table
        className={classes(styles['table'], hasCards && styles['cards'])}
        {...(hasCards && { role: 'table' })}
      >
        <thead>
          <tr {...(hasCards && { role: 'row' })}>
            {columns.map(({ name, title, note, kind = 'text', isWide }) => (
              <th
                key={name}
                scope="col"
                className={classes(styles[kind], isWide && styles['wide'])}
                {...(hasCards && { role: 'columnheader' })}
              >
                <bdi>{title}</bdi>
                {note?.split('\n').map((line) => (
                  <small key={line}>
                    <bdi>{line}</bdi>
                  </small>
                ))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              {...(hasCards && { role: 'row' })}
              {...(onOpen && { className: styles['row'], onClick: (event) => isPlain(event) && onOpen(row) })}
              {...(openKey === keyOf(row) && { 'data-open': true })}
            >
              {columns.map(({ name, title, kind = 'text', isWide, cell }) => (
                <td
                  key={name}
                  className={classes(styles[kind], isWide && styles['wide'])}
                  {...(hasCards && { role: 'cell', 'data-title': title })}
                >
                  {kind === 'text' && !hasCards ? cell(row) : <span>{cell(row)}</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Whether a click is on the row itself, and not on a link or a button in it. */
const isPlain = ({ target }: MouseEvent): boolean =>
  !(target instanceof Element && target.closest('a, button'))
