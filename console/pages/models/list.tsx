/** The models in groups of one kind, each with the columns that its prices need. */
import type { ReactNode } from 'react'
import { Badge } from '../../pieces/badge.tsx'
import { Card, Note } from '../../pieces/card.tsx'
import { CopyLink } from '../../pieces/copy-button.tsx'
import { type Column, Table } from '../../pieces/table.tsx'
import { followed } from '../../shell/frame.tsx'
import { formatMicrocredits, formatNumber } from '../../words/digits.ts'
import type { Locale } from '../../words/locale.ts'
import { Id, Name } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import { decimalsOf, estimateDecimals } from './decimals.ts'
import { endOf, listed, modalitiesOf, nameOf, type Words, wordOf } from './labels.ts'
import styles from './models.module.css'
import { modelsWords } from './models.words.ts'
import {
  inThousandWords,
  type Model,
  mainPricesOf,
  ofThousandWords,
  type Price,
  type PriceRange,
  pricesOf,
} from './prices.ts'

export interface ModelGroup {
  kind: string
  /** How many models of the kind fit; as many of them as are shown stand in `models`. */
  count: number
  models: readonly Model[]
}

interface ListProps {
  groups: readonly ModelGroup[]
  hrefOf(model: Model): string
  onOpen(model: Model): void
}

export function ModelList({ groups, hrefOf, onOpen }: ListProps): ReactNode {
  const words = useWords(modelsWords)
  const locale = useLocale()
  const model: Column<Model> = {
    name: 'model',
    title: words.model,
    cell: (one) => <ModelCell model={one} href={hrefOf(one)} onOpen={() => onOpen(one)} />,
  }
  return groups.map(({ kind, count, models }) => {
    const title = wordOf(words.kinds, kind)
    const columns =
      kind === 'text'
        ? [model, readsColumn(words, locale), contextColumn(words, locale), ...tokenColumns(words, models)]
        : [model, readsColumn(words, locale), makesPriceColumn(words, locale)]
    return (
      <Card key={kind} title={title} action={<Note>{formatNumber(locale, count)}</Note>}>
        {kind === 'text' && <Note>{listNote(words, locale)}</Note>}
        <Table<Model> label={title} rows={models} keyOf={({ id }) => id} columns={columns} onOpen={onOpen} />
      </Card>
    )
  })
}

interface CellProps {
  model: Model
  href: string
  onOpen(): void
}

function ModelCell({ model, href, onOpen }: CellProps): ReactNode {
  const words = useWords(modelsWords)
  const locale = useLocale()
  return (
    <div className={styles['model']}>
      <div className={styles['name']}>
        <a href={href} onClick={followed(href, onOpen)}>
          <Name>{nameOf(model, locale)}</Name>
        </a>
        <ModelBadges model={model} />
      </div>
      <div className={styles['id']}>
        <Id>{model.id}</Id>
        <span className={styles['copy']}>
          <CopyLink text={model.id} label={words.copyId(model.id)} />
        </span>
      </div>
      {model.kind === 'text' && (
        <div className={styles['narrow']}>
          {words.readsToo(listed(locale, modalitiesOf(words, model.input_modalities)))}
        </div>
      )}
    </div>
  )
}

/** What sets a model apart: that it answers where none is named, that it is a simulator, its presets, its end. */
export function ModelBadges({ model }: { model: Model }): ReactNode {
  const words = useWords(modelsWords)
  const locale = useLocale()
  const end = endOf(model, locale, new Date())
  return (
    <>
      {model.default && <Badge kind="teal">{words.standard}</Badge>}
      {model.sandbox && <Badge>{words.simulator}</Badge>}
      {model.presets.length > 0 && (
        <Badge>
          {listed(
            locale,
            model.presets.map((one) => wordOf(words.presetNames, one)),
          )}
        </Badge>
      )}
      {end && (
        <Badge kind={end.isPast ? 'failure' : 'attention'}>
          {end.isPast ? words.ended(end.day) : words.ends(end.day)}
        </Badge>
      )}
    </>
  )
}

const readsColumn = (words: Words, locale: Locale): Column<Model> => ({
  name: 'reads',
  title: words.reads,
  isWide: true,
  cell: ({ input_modalities: reads }) => (
    <span className={styles['quiet']}>{listed(locale, modalitiesOf(words, reads))}</span>
  ),
})

const contextColumn = (words: Words, locale: Locale): Column<Model> => ({
  name: 'context',
  title: words.context,
  note: words.contextNote,
  kind: 'figures',
  isWide: true,
  cell: ({ context_length: length }) => (
    <span className={styles['quiet']}>{length === null ? '' : formatNumber(locale, length)}</span>
  ),
})

/** Input and output of a million tokens, each with its estimate for 1,000 words below it; the prices of a column with equally many decimals. */
function tokenColumns(words: Words, models: readonly Model[]): Column<Model>[] {
  const prices = new Map(models.map((model) => [model.id, pricesOf(model)]))
  return (['input', 'output'] as const).map((name) => {
    const all = [...prices.values()].flat().filter((one) => one.name === name)
    const decimals = Math.max(0, ...all.map(({ microcredits }) => decimalsOf(microcredits)))
    return {
      name,
      title: words[name],
      note: words.tokensAndWords,
      kind: 'figures',
      cell: ({ id }) => {
        const price = prices.get(id)?.find((one) => one.name === name)
        return price ? <TokenPrice price={price} decimals={decimals} /> : words.free
      },
    }
  })
}

function TokenPrice({ price, decimals }: { price: Price; decimals: number }): ReactNode {
  const locale = useLocale()
  const ofWords = ofThousandWords(price, locale)
  return (
    <>
      {formatMicrocredits(locale, price.microcredits, { least: decimals })}
      {ofWords !== undefined && (
        <span className={styles['words']}>
          {formatMicrocredits(locale, ofWords, { least: 2, most: estimateDecimals(ofWords) })}
        </span>
      )}
    </>
  )
}

const makesPriceColumn = (words: Words, locale: Locale): Column<Model> => ({
  name: 'price',
  title: words.price,
  kind: 'figures',
  cell: (model) => {
    const ranges = mainPricesOf(model)
    if (ranges.length === 0) return words.free
    return ranges.map((range) => (
      <span key={`${range.name} ${range.unit}`} className={styles['price']}>
        <bdi>{amountOf(words, locale, range)}</bdi>
        <span className={styles['words']}>
          <bdi>{labelOf(words, range, ranges.length > 1)}</bdi>
        </span>
      </span>
    ))
  },
})

function amountOf(words: Words, locale: Locale, { from, to, isEstimate }: PriceRange): string {
  const amount = (microcredits: bigint): string => formatMicrocredits(locale, microcredits, { most: 3 })
  const range = from === to ? amount(from) : words.range(amount(from), amount(to))
  return isEstimate ? words.about(range) : range
}

/** What a price is for: its unit, and where a model has several prices their names too. */
export function labelOf(words: Words, { name, unit }: PriceRange | Price, isNamed: boolean): string {
  if (unit === 'each') return name === 'picture' || name === 'video' ? words.each[name] : words.names[name]
  return isNamed && unit === 'tokens' ? `${words.names[name]} · ${words.units[unit]}` : words.units[unit]
}

/** The note above the figures that says what a figure for 1,000 words assumes. */
const listNote = (words: Words, locale: Locale): string =>
  words.estimateShort(formatNumber(locale, inThousandWords[locale].tokens))
