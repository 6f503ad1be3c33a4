import { type Documents, toCsv, toMarkdown } from '#engine/documents'
import type { Confine } from '#engine/tools'
import type { Desk, Outcome, Pipeline, Task } from '../agent.ts'
import { paragraphOf } from '../blocks.ts'
import { encode, mediaTypes, rendered } from '../deliver.ts'
import { titleOf } from '../document/outline.ts'
import { readJson, textIn } from '../json.ts'
import { noticeBlocks } from '../notices.ts'
import { type Budget, type Pen, planOf, takePen } from '../pen.ts'
import { ownWordsBytes, taskBytes } from '../prompts.ts'
import { addressesIn } from '../research/gather.ts'
import { outcomeOf, titled } from '../words.ts'
import { keepCharts } from './charts.ts'
import { computeViews, type FoundTable, readTable } from './compute.ts'
import { dataSheet, summaryOf, workbookOf } from './files.ts'
import { figuresOf } from './labelled-figures.ts'
import { viewsOf } from './plan-views.ts'
import { summaryPrompt, viewsPrompt } from './prompts.ts'
import { filledProse } from './prose.ts'
import type { Answer } from './views.ts'
import { againstTitle, summaryWords, viewTitle, dataWords as words } from './words.ts'

type Step = 'plan' | 'summary'

/** Pages that are read where the task names them and holds no table itself. */
const mostReads = 2

function budgetOf(task: Task): Budget<Step> {
  const promptBytes = ownWordsBytes + taskBytes(task, 'short') + 28_000
  return {
    asks: {
      plan: { count: 1, promptBytes, maxOutputTokens: 2_000 },
      summary: { count: 1, promptBytes, maxOutputTokens: 2_500 },
    },
    searches: 0,
    reads: mostReads,
  }
}

/** A data analysis: the model says what to compute and what it means, and code computes every number. */
export function dataPipeline(documents: Documents, confine: Confine): Pipeline {
  return {
    plan: (task) => planOf(budgetOf(task)),
    async run(desk) {
      const { task } = desk
      const pen = takePen(desk, budgetOf(task))
      await desk.progress(3, words.reading)
      const found = await findTable(desk, confine, pen)
      if (!found) return dataless(desk, pen)
      await desk.progress(15, words.planning)
      const planned = await pen.ask('plan', 'plan', viewsPrompt(task, found), words.plan)
      const title = titleOf(
        task.title ? task : { ...task, input: summaryWords[task.language].data },
        textIn(planned && readJson(planned.text), 'title'),
      )
      await desk.progress(35, words.computing)
      const answers = await compute(desk, confine, pen, found, planned?.text)
      await desk.progress(45, words.summing)
      const prose = await writeProse(desk, pen, found, answers)
      await desk.progress(70, words.drawing)
      const drawn = await keepCharts(desk, documents, found, answers, pen.gaps)
      await desk.progress(85, words.files)
      await keepTables(desk, documents, pen, { title, found, answers })
      const summary = summaryOf({ task, title, found, answers, drawn, prose, gaps: pen.gaps })
      await keepSummary(desk, toMarkdown(summary), title)
      const end = pen.gaps.length === 0 ? words.done : words.partial
      await desk.progress(100, end)
      return outcomeOf(end, pen.gaps)
    },
  }
}

/** The table of the task, or else of a page that the task names. */
async function findTable(desk: Desk, confine: Confine, pen: Pen<Step>): Promise<FoundTable | undefined> {
  const { input, language } = desk.task
  const columnWord = summaryWords[language].column
  const own = await readTable(desk, confine, 'table', { text: input, columnWord })
  if (own) return own
  for (const [index, url] of addressesIn(input).slice(0, mostReads).entries()) {
    const page = await pen.read(`read/${index + 1}`, url)
    const found =
      page && (await readTable(desk, confine, `table/${index + 1}`, { text: page.text, columnWord }))
    if (found) return found
  }
  return undefined
}

async function compute(
  desk: Desk,
  confine: Confine,
  pen: Pen<Step>,
  found: FoundTable,
  planned: string | undefined,
): Promise<Answer[]> {
  const { language } = desk.task
  const name = (place: number | undefined) =>
    place === undefined ? undefined : found.table.columns[place]!.name
  const views = viewsOf(planned, found, ({ by, column, measure, chart }) =>
    chart === 'scatter'
      ? againstTitle(name(by)!, name(column)!, language)
      : viewTitle(measure, name(column), name(by)!, language),
  )
  if (views.length === 0) return []
  const answers = await computeViews(desk, confine, 'figures', {
    table: found.table,
    views,
    other: summaryWords[language].other,
  })
  if (!answers) pen.gaps.push({ what: words.figures, why: 'render' })
  return answers ?? []
}

async function writeProse(desk: Desk, pen: Pen<Step>, found: FoundTable, answers: readonly Answer[]) {
  const { task } = desk
  const figures = figuresOf(found, answers, task.language)
  const said = await pen.ask('summary', 'summary', summaryPrompt(task, found, figures), words.text)
  if (said && !said.isWhole) pen.gaps.push({ what: words.text, why: 'cut' })
  return said ? filledProse(said.text, figures, found) : { text: '', dropped: 0 }
}

async function keepTables(
  desk: Desk,
  documents: Documents,
  pen: Pen<Step>,
  { title, found, answers }: { title: string; found: FoundTable; answers: readonly Answer[] },
): Promise<void> {
  const { task, accountId, signal } = desk
  const words = summaryWords[task.language]
  const path = 'workbook.xlsx'
  const workbook = workbookOf(task, title, found, answers)
  const bytes = await rendered(pen.gaps, { fa: path, en: path }, () =>
    documents.toWorkbook(workbook, { accountId, signal }),
  )
  const named = (name: string) => titled(name, task.language, task.isSandbox)
  if (bytes) await desk.keep({ path, bytes, mediaType: mediaTypes.xlsx, title: named(words.workbook) })
  const csv = encode(toCsv(dataSheet(found, words.data)))
  await desk.keep({ path: 'cleaned.csv', bytes: csv, mediaType: mediaTypes.csv, title: named(words.cleaned) })
}

const keepSummary = (desk: Desk, markdown: string, title: string): Promise<void> =>
  desk.keep({
    path: 'summary.md',
    bytes: encode(markdown),
    mediaType: mediaTypes.md,
    title: titled(title, desk.task.language, desk.task.isSandbox),
  })

/** Where there is no table nothing is computed, and nothing is made up. */
async function dataless(desk: Desk, pen: Pen<Step>): Promise<Outcome> {
  const { language, startedMs } = desk.task
  const own = summaryWords[language]
  pen.gaps.push({ what: words.table, why: 'none' })
  const markdown = toMarkdown({
    title: own.nothing,
    dateMs: startedMs,
    language,
    blocks: [...noticeBlocks(desk.task), paragraphOf(own.nothingHow)],
  })
  await keepSummary(desk, markdown, own.nothing)
  await desk.progress(100, words.dataless)
  return outcomeOf(words.dataless, pen.gaps)
}
