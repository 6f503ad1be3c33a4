/** One model: what it costs, what it can do, and a first call. */
import { Fragment, type ReactNode } from 'react'
import { buttonClass } from '../../pieces/button.tsx'
import { Card, Grid, Note } from '../../pieces/card.tsx'
import { CodeBlock } from '../../pieces/code-block.tsx'
import { CopyField } from '../../pieces/copy-field.tsx'
import { followed, PageHead } from '../../shell/frame.tsx'
import { formatNumber } from '../../words/digits.ts'
import { Id, Name } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import { inLanguage } from './find.ts'
import { firstCallOf } from './first-call.ts'
import { listed, modalitiesOf, nameOf, type Words, wordOf } from './labels.ts'
import { ModelBadges } from './list.tsx'
import styles from './models.module.css'
import { modelsWords } from './models.words.ts'
import { PriceTable } from './price-table.tsx'
import type { Model } from './prices.ts'
import { settingFacts } from './setting-facts.ts'

interface DetailProps {
  model: Model
  backHref: string
  onBack(): void
}

export function ModelDetail({ model, backHref, onBack }: DetailProps): ReactNode {
  const words = useWords(modelsWords)
  const locale = useLocale()
  return (
    <>
      <a className={styles['back']} href={backHref} onClick={followed(backHref, onBack)}>
        {words.back}
      </a>
      <PageHead
        title={<Name>{nameOf(model, locale)}</Name>}
        lead={<bdi>{inLanguage(model.description, '\n', locale)}</bdi>}
        actions={
          <div className={styles['badges']}>
            <ModelBadges model={model} />
          </div>
        }
      />
      <Card>
        <CopyField text={model.id} />
      </Card>
      <Grid columns="wide-first">
        <Grid>
          <PriceTable model={model} />
          <FirstCall model={model} />
        </Grid>
        <Card title={words.facts}>
          <Facts model={model} />
        </Card>
      </Grid>
    </>
  )
}

function FirstCall({ model: { kind, id } }: { model: Model }): ReactNode {
  const words = useWords(modelsWords)
  const samples = firstCallOf(kind, id, { origin: location.origin, texts: words })
  if (samples.length === 0) return null
  return (
    <Card
      title={words.firstCall}
      action={
        kind === 'realtime' && (
          <a className={buttonClass('plain')} href="/voice">
            {words.talk}
          </a>
        )
      }
    >
      <div className={styles['call']}>
        <CodeBlock samples={samples} label={words.firstCall} />
        <Note>{words.firstCallLead}</Note>
      </div>
    </Card>
  )
}

function Facts({ model }: { model: Model }): ReactNode {
  const words = useWords(modelsWords)
  const locale = useLocale()
  const tokens = (count: number | null): string | undefined =>
    count === null ? undefined : words.tokens(formatNumber(locale, count))
  const rows: [title: string, value: ReactNode][] = [
    [words.kind, wordOf(words.kinds, model.kind)],
    [words.reads, listed(locale, modalitiesOf(words, model.input_modalities))],
    [words.makes, listed(locale, modalitiesOf(words, model.output_modalities))],
    [words.context, tokens(model.context_length)],
    [words.longest, tokens(model.max_output_tokens)],
    [words.modes, modesOf(words, model, locale)],
    [
      words.presets,
      textOf(
        locale,
        model.presets.map((one) => wordOf(words.presetNames, one)),
      ),
    ],
    [
      words.features,
      textOf(
        locale,
        model.features.map((one) => wordOf(words.featureNames, one)),
      ),
    ],
    ...settingFacts(words, locale, model),
    [words.vendor, <Id key="vendor">{model.owned_by}</Id>],
    [words.aliases, idsOf(model.aliases)],
    [words.routes, idsOf(model.routes)],
  ]
  return (
    <dl className={styles['facts']}>
      {rows
        .filter(([, value]) => value !== undefined)
        .map(([title, value], at) => (
          // A title may stand twice, and lengths have one together.
          <Fragment key={`${at}`}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  )
}

const textOf = (locale: 'fa' | 'en', names: readonly string[]): string | undefined =>
  names.length === 0 ? undefined : listed(locale, names)

/** Each mode in a word, and as the API takes it. */
function modesOf(
  words: Words,
  { reasoning: { supported_efforts: efforts } }: Model,
  locale: 'fa' | 'en',
): ReactNode {
  if (efforts.length === 0) return undefined
  return efforts.map((effort, at) => {
    const word = wordOf(words.efforts, effort)
    return [
      at > 0 && ' ',
      <span key={effort} className={styles['mode']}>
        {word !== effort && `${word} `}
        {word === effort ? (
          <Id>{effort}</Id>
        ) : (
          <>
            (<Id>{effort}</Id>)
          </>
        )}
        {at < efforts.length - 1 && (locale === 'fa' ? '،' : ',')}
      </span>,
    ]
  })
}

function idsOf(ids: readonly string[]): ReactNode {
  if (ids.length === 0) return undefined
  return (
    <span className={styles['routes']}>
      {ids.map((one) => (
        <Id key={one}>{one}</Id>
      ))}
    </span>
  )
}
