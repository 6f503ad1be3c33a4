import { Fragment, type MouseEvent, type ReactNode } from 'react'
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
  /** Below a line: what the rows add up to. */
  sum?: Row | undefined
  keyOf(row: Row): string
  /** Opens a row; its first cell must then have a link or a button for the keyboard. */
  onOpen?: (row: Row) => void
  openKey?: string | undefined
  /** The title under which a row stands with those beside it, such as its day. */
  groupOf?: (row: Row) => string
  /** On phones each row is a card, whose first cell is its title; figures then stand beside their titles. */
  hasCards?: boolean
}

export function Table<Row>({
  label,
  columns,
  rows,
  sum,
  keyOf,
  onOpen,
  openKey,
  groupOf,
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
          {rows.map((row, at) => (
            <Fragment key={keyOf(row)}>
              {groupOf && (at === 0 || groupOf(rows[at - 1]!) !== groupOf(row)) && (
                <tr className={styles['group']}>
                  <th scope="colgroup" colSpan={columns.length}>
                    {groupOf(row)}
                  </th>
                </tr>
              )}
              <tr
                {...(hasCards && { role: 'row' })}
                {...(onOpen && {
                  className: styles['row'],
                  onClick: (event) => isPlain(event) && onOpen(row),
                })}
                {...(openKey === keyOf(row) && { 'data-open': true })}
              >
                <Cells columns={columns} row={row} hasCards={hasCards} />
              </tr>
            </Fragment>
          ))}
        </tbody>
        {sum !== undefined && (
          <tfoot>
            <tr {...(hasCards && { role: 'row' })}>
              <Cells columns={columns} row={sum} hasCards={hasCards} />
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  )
}

function Cells<Row>({
  columns,
  row,
  hasCards,
}: Pick<TableProps<Row>, 'columns'> & { row: Row; hasCards: boolean | undefined }): ReactNode {
  return columns.map(({ name, title, kind = 'text', isWide, cell }) => (
    <td
      key={name}
      className={classes(styles[kind], isWide && styles['wide'])}
      {...(hasCards && { role: 'cell', 'data-title': title })}
    >
      {kind === 'text' && !hasCards ? cell(row) : <span>{cell(row)}</span>}
    </td>
  ))
}

/** Whether a click is on the row itself, and not on a link or a button in it. */
const isPlain = ({ target }: MouseEvent): boolean =>
  !(target instanceof Element && target.closest('a, button'))
