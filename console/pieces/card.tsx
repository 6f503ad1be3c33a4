import type { ReactNode } from 'react'
import styles from './card.module.css'
import { classes } from './classes.ts'
import { Exact } from './exact.tsx'

interface CardProps {
  title?: ReactNode
  /** The one link or button of the card, at the end of its title's line. */
  action?: ReactNode
  /** Drawn with a line in the main colour: what a person must not miss, such as a secret that is shown once. */
  isMarked?: boolean
  children: ReactNode
}

export const Card = ({ title, action, isMarked, children }: CardProps): ReactNode => (
  <section className={classes(styles['card'], isMarked && styles['marked'])}>
    {(title !== undefined || action !== undefined) && (
      <div className={styles['head']}>
        {title !== undefined && <h2>{title}</h2>}
        {action}
      </div>
    )}
    {children}
  </section>
)

interface FigureProps {
  label: string
  /** The figure in the digits of the language; number and sign stand in one isolate. */
  value: string
  unit?: string
  /** How much of a whole it is, from 0; above 1 is drawn as over. */
  part?: number
  note?: ReactNode
  /** Credits to the last micro-credit, shown where `value` is cut. */
  exact?: string | undefined
  /** The one button of the figure, such as «تغییر», at the end of its label's line. */
  action?: ReactNode
}

/** A card with one figure, and in words what follows from it. */
export const Figure = ({ label, value, unit, part, note, exact, action }: FigureProps): ReactNode => (
  <section className={classes(styles['card'], styles['figure'])} aria-label={label}>
    <div className={styles['figureHead']}>
      <span className={styles['figureLabel']}>{label}</span>
      {action}
    </div>
    <div className={styles['figureValue']}>
      {exact === undefined || exact === value ? <bdi>{value}</bdi> : <Exact exact={exact}>{value}</Exact>}
      {unit !== undefined && <span className={styles['figureUnit']}>{unit}</span>}
    </div>
    {part !== undefined && <Bar part={part} label={label} />}
    {note !== undefined && <div className={styles['note']}>{note}</div>}
  </section>
)

interface FactProps {
  /** One of several in a card with a title, in place of a card of its own. */
  isRow?: boolean
  label: string
  /** The one button beside the value, such as «تغییر». */
  action?: ReactNode
  /** What follows from it, smaller. */
  below?: ReactNode
  children: ReactNode
}

/** A card, or a row of one, with one fact in words and its change. */
export const Fact = ({ isRow, label, action, below, children }: FactProps): ReactNode => (
  <section className={classes(isRow ? styles['row'] : styles['card'], styles['fact'])} aria-label={label}>
    <div className={styles['figureLabel']}>{label}</div>
    <div className={styles['factValue']}>
      <div>{children}</div>
      {action}
    </div>
    {below !== undefined && <div className={styles['note']}>{below}</div>}
  </section>
)

/** From 80 % a bar is drawn in the colour of attention, from 100 % in that of failure; a word beside it says the same. */
export const Bar = ({ part, label }: { part: number; label: string }): ReactNode => (
  <div
    className={styles['bar']}
    role="progressbar"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={100}
    aria-valuenow={Math.min(100, Math.floor(part * 100))}
  >
    <div
      className={styles['filled']}
      data-state={part >= 1 ? 'over' : part >= 0.8 ? 'near' : 'usual'}
      style={{ inlineSize: `${Math.min(100, part * 100)}%` }}
    />
  </div>
)

export const Note = ({ children }: { children: ReactNode }): ReactNode => (
  <div className={styles['note']}>{children}</div>
)

type Columns = 'figures' | 'three' | 'wide-first' | 'two' | 'rows' | 'one'

/** Cards beside each other, one below the other on phones. */
export const Grid = ({
  columns = 'one',
  children,
}: {
  columns?: Columns
  children: ReactNode
}): ReactNode => (
  <div className={styles['grid']} data-columns={columns}>
    {children}
  </div>
)
