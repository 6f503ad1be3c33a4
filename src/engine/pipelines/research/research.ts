import type { Documents } from '#engine/documents'
import { type BudgetedSteps, openBudgetedSteps, planOf } from '../budgeted-steps.ts'
import { outlineOf, type Planned } from '../document/outline.ts'
import { outcomeOf } from '../phrases.ts'
import type { Pipeline, StepContext } from '../pipelines.ts'
import { budgetOf, deepest, depthOf, type Step } from './budget.ts'
import { checkDraft, type Judged, sentencesOf } from './check.ts'
import { passagesFor } from './evidence.ts'
import { gather, type Read } from './gather.ts'
import { type Inquiry, inquiryOf } from './inquiry.ts'
import { reportPhrases, researchPhrases as words } from './phrases.ts'
import {
  draftPrompt,
  inquiryPrompt,
  type Noted,
  notesPrompt,
  outlinePrompt,
  summaryPrompt,
} from './prompts.ts'
import { keepReport, markdownOf, type Section } from './report.ts'
import { piecesOf } from './sentences.ts'

/** Research: questions, searches, sources, notes, a draft, and a check of every sentence against the source that it cites. */
export function researchPipeline(documents: Documents): Pipeline {
  return {
    deepest,
    plan: (task) => planOf(budgetOf(task)),
    async run(desk) {
      const pen = openBudgetedSteps(desk, budgetOf(desk.task))
      await desk.progress(2, words.planning)
      const asked = await pen.ask('questions', 'questions', inquiryPrompt(desk.task), words.questions)
      const inquiry = inquiryOf(asked?.text, desk.task)
      const read = await gather(desk, pen, inquiry)
      const noted = await takeNotes(desk, pen, inquiry, read)
      const isSourceless = noted.length === 0
      // A model that answered nothing at all is no research with gaps: what was found stands in no report of its own.
      if (!pen.wasAnswered() && pen.trouble()) throw pen.trouble()
      const sections = isSourceless ? [] : await writeSections(desk, pen, inquiry, noted)
      await desk.progress(92, words.files)
      if (isSourceless) pen.gaps.push({ what: words.sources, why: 'none' })
      const sources = sourcesOf(noted)
      const silent = read.filter((source) => !sources.includes(source))
      await keepReport(desk, documents, { inquiry, sources, silent, sections }, pen.gaps)
      const nothing = desk.searches ? words.sourceless : words.searchless
      const end = isSourceless ? nothing : pen.gaps.length === 0 ? words.done : words.partial
      await desk.progress(100, end)
      return outcomeOf(end, pen.gaps)
    },
  }
}

/** What each source says about the questions; where nobody noted it, its nearest passages stand for it. */
async function takeNotes(
  desk: StepContext,
  pen: BudgetedSteps<Step>,
  inquiry: Inquiry,
  sources: readonly Read[],
): Promise<Noted[]> {
  const noted: Noted[] = []
  for (const [index, source] of sources.entries()) {
    await desk.progress(30 + Math.floor((15 * index) / sources.length), words.noting(source.title))
    const said = await pen.ask(
      'notes',
      `notes/${index + 1}`,
      notesPrompt(desk.task, inquiry, source),
      words.notes(source.title),
    )
    const notes = said?.text.trim() ?? passagesFor(source.text, inquiry.questions.join(' '), 2_400)
    if (!/^\W*NOTHING\W*$/i.test(notes)) noted.push({ source, number: noted.length + 1, notes })
  }
  return noted
}

/** Sections with a verdict on each sentence, the summary before them; notes where no section could be written. */
async function writeSections(
  desk: StepContext,
  pen: BudgetedSteps<Step>,
  inquiry: Inquiry,
  noted: readonly Noted[],
): Promise<Section[]> {
  const { task } = desk
  const own = reportPhrases[task.language]
  const sources = sourcesOf(noted)
  await desk.progress(46, words.outline)
  const planned = await pen.ask('outline', 'outline', outlinePrompt(task, inquiry, noted), words.outline)
  const outline = outlineOf(planned?.text, task, depthOf(task).sections).sections
  const sections = planned ? outline : [own.section]
  const written: Section[] = []
  for (const [index, section] of sections.entries()) {
    const at = {
      desk,
      pen,
      sources,
      index: index + 1,
      percent: 48 + Math.floor((38 * index) / sections.length),
    }
    const made = await writeSection(at, section, draftPrompt(task, section, sections, noted))
    if (made) written.push(made)
  }
  if (written.length === 0) return [notesSection(noted, own.notesOf)]
  const text = written
    .map(({ title, judged }) => `## ${title}\n\n${markdownOf(judged, task.language, (number) => number)}`)
    .join('\n\n')
  const at = { desk, pen, sources, index: 'summary' as const, percent: 87 }
  const summary = await writeSection(
    at,
    { title: own.summary, brief: '' },
    summaryPrompt(task, own.summary, text),
  )
  return summary ? [summary, ...written] : written
}

interface Place {
  desk: StepContext
  pen: BudgetedSteps<Step>
  sources: readonly Read[]
  index: number | 'summary'
  percent: number
}

/** Drafts a section and checks it; undefined where there is nothing of it. */
async function writeSection(
  { desk, pen, sources, index, percent }: Place,
  { title }: Planned,
  prompt: ReturnType<typeof draftPrompt>,
): Promise<Section | undefined> {
  await desk.progress(percent, words.writing(title))
  const draft = await pen.ask('draft', `draft/${index}`, prompt, words.section(title))
  if (!draft) return undefined
  if (!draft.isWhole) pen.gaps.push({ what: words.section(title), why: 'cut' })
  await desk.progress(percent + 1, words.checking(title))
  const judged = await checkDraft(desk, pen, { step: `check/${index}`, title, markdown: draft.text }, sources)
  if (sentencesOf(judged).some(({ verdict }) => verdict !== 'removed')) return { title, judged }
  pen.gaps.push({ what: words.section(title), why: 'unfounded' })
  return undefined
}

/** By their numbers; a source that says nothing about the questions has none, and cannot be cited. */
const sourcesOf = (noted: readonly Noted[]): Read[] => noted.map(({ source }) => source)

/** What was noted, each line with its source, for a report that could not be written. */
function notesSection(noted: readonly Noted[], title: string): Section {
  const judged = noted.flatMap(({ notes, number }): Judged[] =>
    piecesOf(notes).map((piece) =>
      piece.kind === 'plain'
        ? piece
        : { kind: 'sentence', sentence: { ...piece, numbers: [number] }, verdict: 'unchecked', evidence: [] },
    ),
  )
  return { title, judged }
}
