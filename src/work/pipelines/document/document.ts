import type { CitableSource } from '#core/turn'
import type { Documents, TextDocument } from '#work/documents'
import { type DocumentPart, joinParts, parsePart } from '../blocks.ts'
import { BudgetedSteps, planOf, type StepBudget } from '../budgeted-steps.ts'
import { singleLine } from '../cut.ts'
import { saveDocument } from '../deliver.ts'
import { gapBlocks, noticeBlocks } from '../notices.ts'
import { persianDocument } from '../persian.ts'
import { pipelineResult, sandboxPhrases } from '../phrases.ts'
import type { Pipeline, StepContext, Task } from '../pipelines.ts'
import { dataBlock, fixedTextBytes, taskBytes } from '../prompts.ts'
import { maxSections, type Outline, outlineOf } from './outline.ts'
import { documentPhrases as words } from './phrases.ts'
import { outlinePrompt, sectionPrompt } from './prompts.ts'

/** Bytes of the material in a prompt: passages of the knowledge project, and the end of the preceding section. */
const materialBytes = { passages: 12_000, before: 500 }
/** Bytes of the document's outline in the prompt of one section. */
const outlineBytes = 7_000

function budgetOf(task: Task): StepBudget<'outline' | 'section'> {
  const own = fixedTextBytes + taskBytes(task, 'whole')
  const promptBytes = own + materialBytes.passages
  return {
    asks: {
      outline: { count: 1, promptBytes, maxOutputTokens: 2_500 },
      section: { count: maxSections, promptBytes: promptBytes + outlineBytes, maxOutputTokens: 3_500 },
    },
    searches: 0,
    reads: 0,
  }
}

/** Plans a document, writes it section by section and saves it as Word, PDF and Markdown. */
export function documentPipeline(documents: Documents): Pipeline {
  return {
    plan: (task) => planOf(budgetOf(task)),
    async run(context) {
      const { task } = context
      const steps = new BudgetedSteps(context, budgetOf(task))
      await context.progress(2, words.planning)
      const sources = (await context.recall('recall', singleLine(task.input, 400))).slice(0, 6)
      const passages = sources
        .map(
          (source, index) =>
            `[${index + 1}] ${dataBlock(source.title, source.text.slice(0, 1_600).toWellFormed())}`,
        )
        .join('\n')
      const planned = await steps.ask('outline', 'outline', outlinePrompt(task, passages), words.outline)
      const outline = outlineOf(planned?.text, task)
      const parts = await writeSections(context, steps, { outline, passages, sources })
      const isNothing = parts.length === 0
      if (isNothing && steps.firstError) throw steps.firstError
      await context.progress(90, words.files)
      await saveDocument(
        context,
        documents,
        'document',
        assembled(task, outline, parts, sources, steps),
        steps.gaps,
      )
      await context.progress(100, steps.gaps.length === 0 ? words.done : words.partial)
      return pipelineResult(steps.gaps.length === 0 ? words.done : words.partial, steps.gaps)
    },
  }
}

interface Material {
  outline: Outline
  passages: string
  sources: readonly CitableSource[]
}

async function writeSections(
  context: StepContext,
  steps: BudgetedSteps<'outline' | 'section'>,
  { outline, passages, sources }: Material,
): Promise<DocumentPart[]> {
  const { task } = context
  const parts: DocumentPart[] = []
  let before = ''
  for (const [index, section] of outline.sections.entries()) {
    const { title } = section
    await context.progress(10 + Math.floor((80 * index) / outline.sections.length), words.writing(title))
    const prompt = sectionPrompt({ task, outline, section, before, passages })
    const answer = await steps.ask('section', `section/${index + 1}`, prompt, words.section(title))
    if (!answer) continue
    if (!answer.isWhole) steps.gaps.push({ what: words.section(title), reason: 'cut' })
    before = answer.text.trim().slice(-materialBytes.before).toWellFormed()
    parts.push(
      parsePart({
        id: `s${index + 1}`,
        title,
        markdown: answer.text,
        language: task.language,
        sources: cited(sources),
      }),
    )
  }
  return parts
}

const cited = (sources: readonly CitableSource[]) => sources.map(({ title, url }) => ({ title, url }))

function assembled(
  task: Task,
  outline: Outline,
  parts: readonly DocumentPart[],
  sources: readonly CitableSource[],
  { gaps }: BudgetedSteps<'outline' | 'section'>,
): TextDocument {
  const { language, isSandbox, startedMs } = task
  const body = joinParts(parts)
  const subtitle = isSandbox ? sandboxPhrases.mark[language] : outline.subtitle
  return persianDocument({
    title: outline.title,
    ...(subtitle && { subtitle }),
    dateMs: startedMs,
    language,
    titlePage: true,
    contents: true,
    numberedHeadings: true,
    ...body,
    blocks: [...noticeBlocks(task), ...body.blocks, ...gapBlocks(gaps, language)],
    ...(sources.length > 0 && { sources: cited(sources) }),
  })
}
