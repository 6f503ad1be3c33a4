import type { ReactNode } from 'react'
import styles from './table.module.css'

export interface Column<Row> {
  name: string
  title: string
  /** `figures`: set at the end in equal digits, so that decimal marks stand below each other; `clock`: equal digits too. */
  kind?: 'text' | 'figures' | 'clock'
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
}

export function Table<Row>({ label, columns, rows, keyOf, onOpen, openKey }: TableProps<Row>): ReactNode {
  return (
    // A region that scrolls must be reachable by the keyboard.
    <section className={styles['scroll']} aria-label={label} tabIndex={0}>
      <table className={styles['table']}>
        <thead>
          <tr>
            {columns.map(({ name, title, kind = 'text' }) => (
              <th key={name} scope="col" className={styles[kind]}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              {...(onOpen && { className: styles['row'], onClick: () => onOpen(row) })}
              {...(openKey === keyOf(row) && { 'data-open': true })}
            >
              {columns.map(({ name, kind = 'text', cell }) => (
                <td key={name} className={styles[kind]}>
                  {kind === 'text' ? cell(row) : <span>{cell(row)}</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
