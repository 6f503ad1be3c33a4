import { type ReactNode, useState } from 'react'
import { LinkButton } from '../../pieces/button.tsx'
import { Note } from '../../pieces/card.tsx'
import { Unseen } from '../../pieces/unseen.tsx'
import { cleanName } from '../../words/clean-name.ts'
import { formatDecimal, formatMicrocredits, formatNumber } from '../../words/digits.ts'
import { Id } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import { chargeWords } from './charge.words.ts'
import { type ChargeSum, type SumLine, sumOf } from './charge-sum.ts'
import { type Decimal, unitsAt, written } from './decimal.ts'
import type { Report } from './queries.ts'
import styles from './requests.module.css'

/** The roles stay where the style of narrow panes takes them from the elements. */
const table = { role: 'table' } as const
const row = { role: 'row' } as const
const cell = { role: 'cell' } as const
const rowHeader = { role: 'rowheader' } as const
const columnHeader = { role: 'columnheader' } as const

/** More lines are shown by a press, as those of a voice call; until then the rest stands in one line, so that the sum stays whole. */
const most = 12

/** Quantities times rates as a sum that one can check with a pocket calculator. */
export function Sum({ report }: { report: Report }): ReactNode {
  const words = useWords(chargeWords)
  const sum = report.charge ? sumOf(report.charge) : undefined
  if (sum && sum.lines.length === 0 && sum.charged === 0n) return null
  if (!sum && !report.pending && report.microcredits === '0') return null
  return (
    <section className={styles['part']} aria-label={words.sum}>
      {report.pending ? (
        <Note>{words.notYet}</Note>
      ) : sum ? (
        <Lines sum={sum} model={report.model} />
      ) : (
        <Plain report={report} />
      )}
    </section>
  )
}

/** The charge alone, where its lines were not recorded. */
function Plain({ report: { microcredits } }: { report: Report }): ReactNode {
  const words = useWords(chargeWords)
  const locale = useLocale()
  return (
    <>
      <div className={styles['plain']}>
        <strong>{words.charged}</strong>
        <bdi>{formatMicrocredits(locale, BigInt(microcredits))}</bdi>
      </div>
      <Note>{words.noCharge}</Note>
    </>
  )
}

function Lines({ sum, model }: { sum: ChargeSum; model: string | null }): ReactNode {
  const words = useWords(chargeWords)
  const locale = useLocale()
  const [isWhole, setWhole] = useState(false)
  const isCut = sum.lines.length > most
  const shown = isCut && !isWhole ? sum.lines.slice(0, most - 2) : sum.lines
  const rest = sum.lines.slice(shown.length)
  const amount = (units: bigint): string => formatDecimal(locale, written(units, sum.decimals), sum.decimals)
  const number = (value: number): string => formatNumber(locale, value)
  return (
    <>
      <table className={styles['sum']} {...table} {...(isTight(sum) && { 'data-tight': true })}>
        <caption>
          <Unseen>{words.sum}</Unseen>
        </caption>
        <thead>
          <tr {...row}>
            {(['what', 'quantity', 'price', 'amount'] as const).map((name) => (
              <th key={name} scope="col" {...columnHeader}>
                <Unseen>{words[name]}</Unseen>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((line, at) => (
            // Lines of one call never change their order.
            <Line key={`${at}`} line={line} sum={sum} model={model} amount={amount(line.amount)} />
          ))}
          {rest.length > 0 && (
            <Short
              title={words.moreLines(number(rest.length))}
              amount={amount(rest.reduce((total, line) => total + line.amount, 0n))}
            />
          )}
          {sum.rounding !== 0n && <Short title={words.rounding} amount={amount(sum.rounding)} />}
          {(sum.lines.length > 0 || sum.adjustment) && (
            <Short
              title={words.total}
              amount={amount(sum.sum)}
              isTotal={sum.adjustment === undefined}
              hasRule
            />
          )}
          {sum.adjustment && (
            <Short
              title={words.adjustments[sum.adjustment.kind] ?? words.adjustments['other']!}
              amount={amount(sum.adjustment.amount)}
            />
          )}
          {(sum.adjustment || sum.lines.length === 0) && (
            <Short title={words.charged} amount={amount(sum.charged)} isTotal hasRule />
          )}
        </tbody>
      </table>
      {isCut && (
        <div>
          <LinkButton aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? words.fewerLines : words.allLines(number(sum.lines.length))}
          </LinkButton>
        </div>
      )}
    </>
  )
}

/** Whether figures are too long to stand beside each other: they are of so many characters together at least. */
const tightLength = 27

const isTight = ({ lines, decimals, priceDecimals }: ChargeSum): boolean =>
  lines.some(({ quantity, price, per, amount }) => {
    const ofPrice = per === 1 ? priceDecimals : price.decimals + String(per).length + 3
    const digits = [written(quantity.units, quantity.decimals), written(amount, decimals)].join('').length
    return digits + ofPrice > tightLength
  })

interface LineProps {
  line: SumLine
  sum: ChargeSum
  /** The model of the receipt, which needs not be said again. */
  model: string | null
  amount: string
}

function Line({ line, sum, model, amount }: LineProps): ReactNode {
  const words = useWords(chargeWords)
  const locale = useLocale()
  const { unit, quantity, price, per } = line
  const exact = (value: Decimal, least = value.decimals): string =>
    formatDecimal(locale, written(unitsAt(value, least), least), least)
  const kind = unit.endsWith('_tokens') ? 'tokens' : unit === 'video_seconds' ? 'seconds' : unit
  const count = words.counts[kind]?.(exact(quantity)) ?? exact(quantity)
  const others = [
    line.step !== undefined && line.step,
    line.model !== undefined && line.model !== model && line.model,
  ].filter((one) => one !== false)
  return (
    <tr {...row}>
      <th scope="row" {...rowHeader}>
        {words.units[unit] ?? <Id>{unit}</Id>}
        {others.map((one) => (
          <span key={one} className={styles['of']}>
            <Id>{cleanName(one)}</Id>
          </span>
        ))}
      </th>
      <td {...cell} className={styles['count']}>
        <bdi>{count}</bdi>
      </td>
      <td {...cell} className={styles['price']}>
        {'× '}
        <bdi dir="ltr">{exact(price, per === 1 ? sum.priceDecimals : price.decimals)}</bdi>
        {per !== 1 && (
          <>
            {' ÷ '}
            <bdi dir="ltr">{formatNumber(locale, per)}</bdi>
          </>
        )}
      </td>
      <td {...cell} className={styles['amount']}>
        <bdi dir="ltr">{amount}</bdi>
      </td>
    </tr>
  )
}

interface ShortProps {
  title: string
  amount: string
  isTotal?: boolean
  hasRule?: boolean
}

/** A line without a quantity. */
const Short = ({ title, amount, isTotal, hasRule }: ShortProps): ReactNode => (
  <tr {...row} {...(isTotal && { 'data-total': true })} {...(hasRule && { 'data-rule': true })}>
    <th scope="row" {...rowHeader} colSpan={3}>
      {title}
    </th>
    <td {...cell} className={styles['amount']}>
      <bdi dir="ltr">{amount}</bdi>
    </td>
  </tr>
)
