import type { ReactNode } from 'react'
import { Card, Note } from '../../pieces/card.tsx'
import { type Column, Table } from '../../pieces/table.tsx'
import { formatMicrocredits, formatNumber } from '../../words/digits.ts'
import type { Locale } from '../../words/locale.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { decimalsOf, estimateDecimals } from './decimals.ts'
import { listed, nameOf, type Words, wordOf } from './labels.ts'
import styles from './models.module.css'
import { modelsWords } from './models.words.ts'
import { inThousandWords, type Model, ofThousandWords, type Price, pricesOf } from './prices.ts'

/** All prices of a model to the last micro-credit, and what each is for 1,000 words. */
export function PriceTable({ model }: { model: Model }): ReactNode {
  const words = useWords(modelsWords)
  const locale = useLocale()
  const prices = pricesOf(model)
  if (prices.length === 0)
    return (
      <Card title={words.prices}>
        <p>{words.free}</p>
        <Note>{words.freeWhy}</Note>
        <PriceNotes model={model} prices={prices} />
      </Card>
    )
  const hasWords = prices.some((price) => ofThousandWords(price, 'fa') !== undefined)
  const decimals = Math.max(...prices.map(({ microcredits }) => decimalsOf(microcredits)))
  const hasOthers = prices.some(({ name, condition }) => name === 'picture' && condition)
  const columns: Column<Price>[] = [
    { name: 'what', title: words.what, cell: (price) => <PriceLabel price={price} hasOthers={hasOthers} /> },
    {
      name: 'credits',
      title: words.credits,
      kind: 'figures',
      cell: ({ microcredits, isEstimate }) => {
        const amount = formatMicrocredits(locale, microcredits, { least: decimals })
        return isEstimate ? <bdi>{words.about(amount)}</bdi> : amount
      },
    },
    ...(hasWords ? [wordsColumn(words, locale, prices, 'fa'), wordsColumn(words, locale, prices, 'en')] : []),
  ]
  return (
    <Card title={words.prices}>
      <Table<Price>
        label={words.pricesOf(`\u2068${nameOf(model, locale)}\u2069`)}
        rows={prices}
        keyOf={keyOf}
        columns={columns}
      />
      <PriceNotes model={model} prices={prices} />
    </Card>
  )
}

const keyOf = ({ name, unit, condition = {} }: Price): string =>
  [name, unit, ...Object.entries(condition).flat()].join(' ')

interface PriceLabelProps {
  price: Price
  /** Whether some pictures have prices of their own. */
  hasOthers: boolean
}

function PriceLabel({ price: { name, unit, condition }, hasOthers }: PriceLabelProps): ReactNode {
  const words = useWords(modelsWords)
  const locale = useLocale()
  const rest = name === 'picture' && hasOthers ? words.otherwise : ''
  const what = condition ? conditionOf(words, locale, condition) : rest
  const unitWord = unit === 'each' ? '' : words.units[unit]
  return (
    <div className={styles['label']}>
      <bdi>{listed(locale, [words.names[name], ...(what === '' ? [] : [what])])}</bdi>
      {unitWord !== '' && <span className={styles['words']}>{unitWord}</span>}
    </div>
  )
}

/** For which orders a price holds. */
function conditionOf(
  words: Words,
  locale: Locale,
  { quality, size, resolution, audio }: NonNullable<Price['condition']>,
): string {
  const parts = [
    quality !== undefined && wordOf(words.qualities, quality),
    (size ?? resolution) !== undefined && `\u2066${size ?? resolution}\u2069`,
    audio !== undefined && (audio ? words.withSound : words.withoutSound),
  ].filter((part) => part !== false)
  return listed(locale, parts)
}

function wordsColumn(
  words: Words,
  locale: Locale,
  prices: readonly Price[],
  language: 'fa' | 'en',
): Column<Price> {
  const amounts = prices.flatMap((price) => ofThousandWords(price, language) ?? [])
  const decimals = Math.max(...amounts.map(estimateDecimals))
  return {
    name: language,
    title: language === 'fa' ? words.persianWords : words.englishWords,
    kind: 'figures',
    isWide: language !== locale,
    cell: (price) => {
      const amount = ofThousandWords(price, language)
      return amount === undefined
        ? ''
        : formatMicrocredits(locale, amount, { least: decimals, most: decimals })
    },
  }
}

/** What is not in the figures: what they assume, and what is charged beside them. */
function PriceNotes({ model, prices }: { model: Model; prices: readonly Price[] }): ReactNode {
  const words = useWords(modelsWords)
  const locale = useLocale()
  const number = (value: number): string => formatNumber(locale, value)
  const { fa, en } = inThousandWords
  const units = new Set(
    prices.filter((price) => ofThousandWords(price, 'fa') !== undefined).map(({ unit }) => unit),
  )
  const { minimumSeconds, isByDelivered, hasOtherModels } = billingOf(model)
  const notes = [
    units.has('tokens') && words.estimate(number(fa.tokens), number(en.tokens)),
    units.has('characters') && words.estimateCharacters(number(fa.characters), number(en.characters)),
    prices.some(({ isEstimate }) => isEstimate) && words.pictureEstimate,
    minimumSeconds > 0 && words.minimum(number(minimumSeconds)),
    isByDelivered && words.delivered,
    hasOtherModels && words.callToo,
  ].filter((note) => typeof note === 'string')
  if (notes.length === 0) return null
  return (
    <div className={styles['notes']}>
      {notes.map((note) => (
        <Note key={note}>{note}</Note>
      ))}
    </div>
  )
}

/** What some kinds say of how they are billed. */
function billingOf({ pricing, studio_settings: settings }: Model) {
  return {
    minimumSeconds: 'minimum_seconds' in pricing ? pricing.minimum_seconds : 0,
    isByDelivered: 'billed' in pricing && pricing.billed === 'delivered',
    hasOtherModels: settings !== null && 'engine' in settings && settings.engine === 'pipeline',
  }
}
