import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ConfinedRunner } from '#platform/confined'
import { type Documents, toMarkdown } from '#work/documents'
import { paragraphOf } from '../blocks.ts'
import { BudgetedSteps, type Gap, planOf, type StepBudget } from '../budgeted-steps.ts'
import { encode, mediaTypes, renderOrGap } from '../deliver.ts'
import { titleOf } from '../document/outline.ts'
import { readJson, textIn } from '../json.ts'
import { gapBlocks, noticeBlocks } from '../notices.ts'
import { pipelineResult, titleWithMark } from '../phrases.ts'
import type { Pipeline, PipelineResult, StepContext, Task } from '../pipelines.ts'
import { fixedTextBytes, taskBytes } from '../prompts.ts'
import { saveCharts } from './charts.ts'
import { type ComputeContext, computeViews, type FoundTable, readTables, writeTables } from './compute.ts'
import { summaryOf, workbookOf } from './files.ts'
import { figuresOf } from './labelled-figures.ts'
import {
  againstTitle,
  boundPhrases,
  summaryPhrases,
  unreadPhrases,
  viewTitle,
  dataPhrases as words,
} from './phrases.ts'
import { viewsOf } from './plan-views.ts'
import { summaryPrompt, viewsPrompt } from './prompts.ts'
import { fillFigures } from './prose.ts'
import { maxLinks, openSources } from './sources.ts'
import type { ViewAnswer } from './views.ts'

type DataStep = 'plan' | 'summary'

function budgetOf(task: Task): StepBudget<DataStep> {
  const promptBytes = fixedTextBytes + taskBytes(task, 'short') + 28_000
  return {
    asks: {
      plan: { count: 1, promptBytes, maxOutputTokens: 2_000 },
      summary: { count: 1, promptBytes, maxOutputTokens: 2_500 },
    },
    searches: 0,
    // A link leads to a data file, or to a page that is read for tables.
    reads: 2 * maxLinks,
  }
}

/** Data analysis: the model chooses the computations and interprets them; every number is computed by code. */
export function dataPipeline(documents: Documents, confine: ConfinedRunner): Pipeline {
  return {
    plan: (task) => planOf(budgetOf(task)),
    async run(context) {
      await using opened = new AsyncDisposableStack()
      const steps = new BudgetedSteps(context, budgetOf(context.task))
      await context.progress(3, words.reading)
      const found = await findTable(context, confine, steps, opened)
      // Awaited before disposal: the files are needed until the end.
      return found
        ? await analyse({ context, documents, steps, ...found })
        : await reportNoTable(context, steps)
    },
  }
}

interface Analysis {
  context: StepContext
  documents: Documents
  steps: BudgetedSteps<DataStep>
  computer: ComputeContext
  found: FoundTable
}

async function analyse({ context, documents, steps, computer, found }: Analysis): Promise<PipelineResult> {
  const { task } = context
  steps.gaps.push(...limitGaps(found))
  await context.progress(15, words.planning)
  const planned = await steps.ask('plan', 'plan', viewsPrompt(task, found), words.plan)
  const title = titleOf(
    task.title ? task : { ...task, input: summaryPhrases[task.language].data },
    textIn(planned && readJson(planned.text), 'title'),
  )
  await context.progress(35, words.computing)
  const answers = await compute(computer, steps, found, planned?.text)
  await context.progress(45, words.summing)
  const prose = await writeProse(context, steps, found, answers)
  await context.progress(70, words.drawing)
  const drawn = await saveCharts(context, documents, found, answers, steps.gaps)
  await context.progress(85, words.files)
  await saveTables({ context, documents, steps, computer, found }, title, answers)
  const summary = summaryOf({ task, title, found, answers, drawn, prose, gaps: steps.gaps })
  await saveSummary(context, toMarkdown(summary), title)
  const end = steps.gaps.length === 0 ? words.done : words.partial
  await context.progress(100, end)
  return pipelineResult(end, steps.gaps)
}

/** The table in the text of a request that names no files; if there is none, or files are named, the table of its files and links. */
async function findTable(
  context: StepContext,
  confine: ConfinedRunner,
  steps: BudgetedSteps<DataStep>,
  opened: AsyncDisposableStack,
): Promise<{ computer: ComputeContext; found: FoundTable } | undefined> {
  const { input, language, files = [] } = context.task
  const columnWord = summaryPhrases[language].column
  if (files.length === 0) {
    const text = { inputs: [{ name: '', text: input }], bytes: 0, isSame: true }
    const computer = { context, confine, sources: text }
    const own = await readTables(computer, 'table', columnWord)
    if (own?.found) return { computer, found: own.found }
  }
  const sources = await openSources(context, steps, opened)
  for (const { what, why } of sources.unread) steps.gaps.push({ what, reason: why })
  if (sources.inputs.length === 0) return undefined
  const computer = { context, confine, sources }
  const read = await readTables(computer, 'table/files', columnWord)
  for (const { name, why } of read?.unread ?? [])
    steps.gaps.push({ what: { fa: name, en: name }, reason: unreadPhrases[why] })
  if (!read) steps.gaps.push({ what: words.table, reason: unreadPhrases['too-large'] })
  return read?.found ? { computer, found: read.found } : undefined
}

/** Gaps: data that was present but is not part of any figure. */
function limitGaps({ rows, of, unused, notes }: FoundTable): Gap[] {
  const gaps: Gap[] = rows < of ? [{ what: words.rows, reason: boundPhrases.rows(rows, of) }] : []
  for (const { name, rows: count, hidden } of unused)
    if (!hidden) gaps.push({ what: { fa: name, en: name }, reason: boundPhrases.unused(count) })
  for (const note of notes) {
    if (note.kind === 'columns-cut')
      gaps.push({ what: words.columns, reason: boundPhrases.columns(note.read, note.of) })
    if (note.kind === 'text-cut')
      gaps.push({ what: words.wholeText, reason: boundPhrases.characters(note.read, note.of) })
    if (note.kind === 'sheets-cut') gaps.push({ what: words.sheets, reason: boundPhrases.sheets(note.count) })
  }
  return gaps
}

async function compute(
  computer: ComputeContext,
  steps: BudgetedSteps<DataStep>,
  found: FoundTable,
  planned: string | undefined,
): Promise<ViewAnswer[]> {
  const { language } = computer.context.task
  const { columns } = found.spec.table
  const name = (place: number | undefined) => (place === undefined ? undefined : columns[place]!.name)
  const views = viewsOf(planned, found, ({ by, column, measure, chart }) =>
    chart === 'scatter'
      ? againstTitle(name(by)!, name(column)!, language)
      : viewTitle(measure, name(column), name(by)!, language),
  )
  if (views.length === 0) return []
  const answers = await computeViews(computer, found.spec, views, summaryPhrases[language].other)
  if (!answers) steps.gaps.push({ what: words.figures, reason: 'render' })
  return answers ?? []
}

async function writeProse(
  context: StepContext,
  steps: BudgetedSteps<DataStep>,
  found: FoundTable,
  answers: readonly ViewAnswer[],
) {
  const { task } = context
  const figures = figuresOf(found, answers, task.language)
  const answer = await steps.ask('summary', 'summary', summaryPrompt(task, found, figures), words.text)
  if (answer && !answer.isWhole) steps.gaps.push({ what: words.text, reason: 'cut' })
  return answer ? fillFigures(answer.text, figures, found) : { text: '', dropped: 0 }
}

/** Share of the 100 MB that the files of a run may have together. */
const limits = {
  csvBytes: 46_000_000,
  sheetBytes: 40_000_000,
  sheetRows: 1_048_576,
  scratchBytes: 110_000_000,
}

/** The workbook and cleaned.csv: the first rows are created with their styles here, the others are appended in the confined process. */
async function saveTables(
  { context, documents, steps, computer, found }: Analysis,
  title: string,
  answers: readonly ViewAnswer[],
): Promise<void> {
  const { task, accountId, signal } = context
  const own = summaryPhrases[task.language]
  const name = { fa: 'workbook.xlsx', en: 'workbook.xlsx' }
  const workbook = workbookOf(task, title, found, answers)
  const templateBytes = await renderOrGap(steps.gaps, name, () =>
    documents.toWorkbook(workbook, { accountId, signal }),
  )
  await using scratch = await context.scratch(limits.scratchBytes)
  const template = path.join(scratch.path, 'template.xlsx')
  if (templateBytes) await writeFile(template, templateBytes)
  const written = await writeTables(computer, {
    spec: found.spec,
    maxCsvBytes: limits.csvBytes,
    ...(templateBytes && { sheet: sheetOptions(found, template, task) }),
    scratch,
  })
  if (!written) {
    steps.gaps.push({ what: words.tables, reason: 'render' })
    return
  }
  const saveTableFile = async (file: string, rows: number, mediaType: string, called: string) => {
    const isCut = rows < found.of
    if (isCut) steps.gaps.push({ what: { fa: file, en: file }, reason: boundPhrases.rows(rows, found.of) })
    const counted = isCut ? `${called} (${boundPhrases.rows(rows, found.of)[task.language]})` : called
    const deliverable = {
      path: file,
      mediaType,
      title: titleWithMark(counted, task.language, task.isSandbox),
    }
    await context.saveLocalFile(deliverable, path.join(scratch.path, file))
  }
  if (written.sheet !== undefined)
    await saveTableFile('workbook.xlsx', written.sheet, mediaTypes.xlsx, own.workbook)
  await saveTableFile('cleaned.csv', written.csv, mediaTypes.csv, own.cleaned)
}

const sheetOptions = (found: FoundTable, template: string, { language }: Task) => ({
  template,
  begun: found.sample.length,
  maxRows: limits.sheetRows,
  maxBytes: limits.sheetBytes,
  isPersian: language === 'fa',
})

const saveSummary = (context: StepContext, markdown: string, title: string): Promise<void> =>
  context.saveFile({
    path: 'summary.md',
    bytes: encode(markdown),
    mediaType: mediaTypes.md,
    title: titleWithMark(title, context.task.language, context.task.isSandbox),
  })

/** Without a table nothing is computed and nothing is invented: the gap is reported. */
async function reportNoTable(context: StepContext, steps: BudgetedSteps<DataStep>): Promise<PipelineResult> {
  const { language, startedMs } = context.task
  const own = summaryPhrases[language]
  steps.gaps.push({ what: words.table, reason: 'none' })
  const markdown = toMarkdown({
    title: own.nothing,
    dateMs: startedMs,
    language,
    blocks: [...noticeBlocks(context.task), paragraphOf(own.nothingHow), ...gapBlocks(steps.gaps, language)],
  })
  await saveSummary(context, markdown, own.nothing)
  await context.progress(100, words.dataless)
  return pipelineResult(words.dataless, steps.gaps)
}
