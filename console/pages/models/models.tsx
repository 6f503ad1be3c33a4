/** Models: which there are, what each reads and makes, what it costs, and one of them in full. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue, useMemo, useState, useSyncExternalStore } from 'react'
import { project, subscribeProject } from '../../api/project.ts'
import { modelsQuery } from '../../api/queries.ts'
import { Button } from '../../pieces/button.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../pieces/states.tsx'
import { PageHead } from '../../shell/frame.tsx'
import { useAddress } from '../../shell/use-address.ts'
import { useTyped } from '../../shell/use-typed.ts'
import { formatNumber } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { ModelDetail } from './detail.tsx'
import { Filters } from './filters.tsx'
import { type FindableModel, findable, kindsOf, matching } from './find.ts'
import { wordsToFind } from './labels.ts'
import { type ModelGroup, ModelList } from './list.tsx'
import styles from './models.module.css'
import { modelsWords } from './models.words.ts'
import type { Model } from './prices.ts'

/** So many rows are drawn at first, and as many more by each press: a browser draws them within one frame or two. */
const pageRows = 40
/** So many rows fill a tall window: no more are drawn with each key of a search, until the address follows. */
const windowRows = 16

export default function Models(): ReactNode {
  const projectId = useSyncExternalStore(subscribeProject, project)
  const models = useQuery(modelsQuery(projectId))
  const address = useAddress()
  const open = address.read('open')
  const again = (): void => void models.refetch()
  if (models.error && !models.data) return <ErrorState error={models.error} onAgain={again} />
  if (!models.data) return <Loading onAgain={again} />
  const all = models.data.data
  if (open === '') return <AllModels models={all} />
  const model = all.find(({ id, aliases }) => id === open || aliases.includes(open))
  const back = { backHref: address.href({ open: '' }), onBack: () => address.go({ open: '' }) }
  return model ? <ModelDetail model={model} {...back} /> : <NotThere {...back} />
}

function Loading({ onAgain }: { onAgain(): void }): ReactNode {
  const words = useWords(modelsWords)
  return (
    <>
      <PageHead title={words.title} />
      <Skeleton lines={8} onAgain={onAgain} />
    </>
  )
}

function NotThere({ onBack }: { onBack(): void }): ReactNode {
  const words = useWords(modelsWords)
  return (
    <EmptyState title={words.notThere} action={<Button onClick={onBack}>{words.back}</Button>}>
      {words.notThereWhy}
    </EmptyState>
  )
}

function AllModels({ models }: { models: readonly Model[] }): ReactNode {
  const words = useWords(modelsWords)
  const locale = useLocale()
  const address = useAddress()
  const [text, setText] = useTyped('q')
  const [rows, setRows] = useState(pageRows)
  const all = useMemo(() => models.map((model) => findable(model, wordsToFind)), [models])
  const [kind, reads, wanted] = [address.read('kind'), address.read('reads'), useDeferredValue(text)]
  const found = useMemo(() => matching(all, { kind, reads, text: wanted }), [all, kind, reads, wanted])
  const isTyping = text !== address.read('q')
  const groups = useMemo(() => groupsOf(found, isTyping ? windowRows : rows), [found, rows, isTyping])
  const count = Math.min(rows, found.length)
  // While somebody types the rows are drawn for the deferred text alone, not with each key a second time.
  const list = useMemo(
    () => (
      <ModelList
        groups={groups}
        hrefOf={({ id }) => address.href({ open: id })}
        onOpen={({ id }) => address.go({ open: id })}
      />
    ),
    [groups, address],
  )
  const number = (value: number): string => formatNumber(locale, value)
  const clear = (): void => {
    setText('')
    address.go({ q: '', kind: '', reads: '' })
  }
  if (models.length === 0)
    return (
      <>
        <PageHead title={words.title} />
        <EmptyState title={words.none}>{words.noneWhy}</EmptyState>
      </>
    )
  return (
    <>
      <PageHead title={words.title} lead={words.lead(number(models.length))} />
      <Filters models={all} text={text} onText={setText} />
      {found.length === 0 && (
        <EmptyState title={words.nothing} action={<Button onClick={clear}>{words.clear}</Button>}>
          {words.nothingWhy}
        </EmptyState>
      )}
      {list}
      {found.length > 0 && (
        <div className={styles['end']}>
          <span role="status">{words.shown(number(count), number(found.length))}</span>
          {count < found.length && (
            <Button onClick={() => setRows(rows + pageRows)}>
              {words.more(number(Math.min(pageRows, found.length - count)))}
            </Button>
          )}
        </div>
      )}
    </>
  )
}

/** The first rows, in groups by kind in the order of the catalogue. */
function groupsOf(found: readonly FindableModel[], rows: number): ModelGroup[] {
  const groups: ModelGroup[] = []
  let count = 0
  for (const { kind, count: all } of kindsOf(found)) {
    const models = found.filter(({ model }) => model.kind === kind).slice(0, rows - count)
    if (models.length === 0) break
    groups.push({ kind, count: all, models: models.map(({ model }) => model) })
    count += models.length
  }
  return groups
}
