import type { Documents } from '#work/documents'
import { BudgetedSteps, planOf } from '../budgeted-steps.ts'
import { type OutlineSection, outlineOf } from '../document/outline.ts'
import { pipelineResult } from '../phrases.ts'
import type { Pipeline, StepContext } from '../pipelines.ts'
import { budgetOf, limitsOfDepth, maxResearchDepth, type ResearchStep } from './budget.ts'
import { type CheckedPiece, checkDraft, sentencesOf } from './check.ts'
import { relevantPassages } from './evidence.ts'
import { gather, type ReadSource } from './gather.ts'
import { type Inquiry, inquiryOf } from './inquiry.ts'
import { reportPhrases, researchPhrases as words } from './phrases.ts'
import {
  draftPrompt,
  inquiryPrompt,
  notesPrompt,
  outlinePrompt,
  type SourceNotes,
  summaryPrompt,
} from './prompts.ts'
import { markdownOf, type Section, saveReport } from './report.ts'
import { piecesOf } from './sentences.ts'

/** Research: questions, searches, sources, notes, a draft, and a check of every sentence against the source that it cites. */
export function researchPipeline(documents: Documents): Pipeline {
  return {
    maxDepth: maxResearchDepth,
    plan: (task) => planOf(budgetOf(task)),
    async run(context) {
      const steps = new BudgetedSteps(context, budgetOf(context.task))
      await context.progress(2, words.planning)
      const answer = await steps.ask('questions', 'questions', inquiryPrompt(context.task), words.questions)
      const inquiry = inquiryOf(answer?.text, context.task)
      const read = await gather(context, steps, inquiry)
      const noted = await takeNotes(context, steps, inquiry, read)
      const isSourceless = noted.length === 0
      // If the model answered nothing at all, the run fails: a report of found pages alone would be no research.
      if (!steps.wasAnswered && steps.firstError) throw steps.firstError
      const sections = isSourceless ? [] : await writeSections(context, steps, inquiry, noted)
      await context.progress(92, words.files)
      if (isSourceless) steps.gaps.push({ what: words.sources, reason: 'none' })
      const sources = sourcesOf(noted)
      const silent = read.filter((source) => !sources.includes(source))
      await saveReport(context, documents, { inquiry, sources, silent, sections }, steps.gaps)
      const nothing = context.searches ? words.sourceless : words.searchless
      const end = isSourceless ? nothing : steps.gaps.length === 0 ? words.done : words.partial
      await context.progress(100, end)
      return pipelineResult(end, steps.gaps)
    },
  }
}

/** Notes of each source on the questions; without an answer of the model, the most relevant passages of the source. */
async function takeNotes(
  context: StepContext,
  steps: BudgetedSteps<ResearchStep>,
  inquiry: Inquiry,
  sources: readonly ReadSource[],
): Promise<SourceNotes[]> {
  const noted: SourceNotes[] = []
  for (const [index, source] of sources.entries()) {
    await context.progress(30 + Math.floor((15 * index) / sources.length), words.noting(source.title))
    const answer = await steps.ask(
      'notes',
      `notes/${index + 1}`,
      notesPrompt(context.task, inquiry, source),
      words.notes(source.title),
    )
    const notes = answer?.text.trim() ?? relevantPassages(source.text, inquiry.questions.join(' '), 2_400)
    if (!/^\W*NOTHING\W*$/i.test(notes)) noted.push({ source, number: noted.length + 1, notes })
  }
  return noted
}

/** Writes the summary and the sections, with a verdict on each sentence. If no section could be written, returns the notes. */
async function writeSections(
  context: StepContext,
  steps: BudgetedSteps<ResearchStep>,
  inquiry: Inquiry,
  noted: readonly SourceNotes[],
): Promise<Section[]> {
  const { task } = context
  const own = reportPhrases[task.language]
  const sources = sourcesOf(noted)
  await context.progress(46, words.outline)
  const planned = await steps.ask('outline', 'outline', outlinePrompt(task, inquiry, noted), words.outline)
  const outline = outlineOf(planned?.text, task, limitsOfDepth(task).sections).sections
  const sections = planned ? outline : [own.section]
  const written: Section[] = []
  for (const [index, section] of sections.entries()) {
    const at = {
      context,
      steps,
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
  const at = { context, steps, sources, index: 'summary' as const, percent: 87 }
  const summary = await writeSection(
    at,
    { title: own.summary, brief: '' },
    summaryPrompt(task, own.summary, text),
  )
  return summary ? [summary, ...written] : written
}

interface SectionContext {
  context: StepContext
  steps: BudgetedSteps<ResearchStep>
  sources: readonly ReadSource[]
  index: number | 'summary'
  percent: number
}

/** Drafts a section and checks it. Returns undefined if nothing of it remains. */
async function writeSection(
  { context, steps, sources, index, percent }: SectionContext,
  { title }: OutlineSection,
  prompt: ReturnType<typeof draftPrompt>,
): Promise<Section | undefined> {
  await context.progress(percent, words.writing(title))
  const draft = await steps.ask('draft', `draft/${index}`, prompt, words.section(title))
  if (!draft) return undefined
  if (!draft.isWhole) steps.gaps.push({ what: words.section(title), reason: 'cut' })
  await context.progress(percent + 1, words.checking(title))
  const judged = await checkDraft(
    context,
    steps,
    { step: `check/${index}`, title, markdown: draft.text },
    sources,
  )
  if (sentencesOf(judged).some(({ verdict }) => verdict !== 'removed')) return { title, judged }
  steps.gaps.push({ what: words.section(title), reason: 'unfounded' })
  return undefined
}

/** The numbered sources. A source without notes on the questions has no number and cannot be cited. */
const sourcesOf = (noted: readonly SourceNotes[]): ReadSource[] => noted.map(({ source }) => source)

/** A section of the notes, each line with its source, for a report that could not be written. */
function notesSection(noted: readonly SourceNotes[], title: string): Section {
  const judged = noted.flatMap(({ notes, number }): CheckedPiece[] =>
    piecesOf(notes).map((piece) =>
      piece.kind === 'plain'
        ? piece
        : { kind: 'sentence', sentence: { ...piece, numbers: [number] }, verdict: 'unchecked', evidence: [] },
    ),
  )
  return { title, judged }
}
