import type { ConfinedRunner } from '#platform/confined'
import { type BundledFile, zip } from '#work/documents'
import { BudgetedSteps, planOf, type StepBudget } from '../budgeted-steps.ts'
import { encode, mediaTypes } from '../deliver.ts'
import { pipelineResult, titleWithMark } from '../phrases.ts'
import type { Pipeline, StepContext, Task } from '../pipelines.ts'
import { fixedTextBytes, taskBytes } from '../prompts.ts'
import { contentOf, markdownOf } from './answer.ts'
import { checkFile } from './check.ts'
import { inertMediaType } from './media.ts'
import { plainReadme, readmeNotes, codePhrases as words } from './phrases.ts'
import { maxFiles, type PlannedFile, type Project, projectOf, readmePath } from './project.ts'
import {
  filePrompt,
  projectPrompt,
  readmePrompt,
  repairPrompt,
  type WrittenFile,
  writtenText,
} from './prompts.ts'

type CodeStep = 'plan' | 'file' | 'mend' | 'readme'

const materialBytes = { written: 40_000 }
/** Bytes of the list of files in a prompt. */
const listBytes = 4_500
/** The most files refused by a parser that are sent to the model for repair. */
const maxRepairs = 5

function budgetOf(task: Task): StepBudget<CodeStep> {
  const own = fixedTextBytes + taskBytes(task, 'whole')
  const promptBytes = own + listBytes + materialBytes.written
  return {
    asks: {
      plan: { count: 1, promptBytes: own, maxOutputTokens: 2_500 },
      file: { count: maxFiles, promptBytes, maxOutputTokens: 6_000 },
      mend: { count: maxRepairs, promptBytes, maxOutputTokens: 6_000 },
      readme: { count: 1, promptBytes, maxOutputTokens: 2_500 },
    },
    searches: 0,
    reads: 0,
  }
}

/** Writes a program file by file, with a README and a ZIP of all files. Files are parsed where a parser exists and are never run. */
export function codePipeline(confine: ConfinedRunner): Pipeline {
  return {
    plan: (task) => planOf(budgetOf(task)),
    async run(context) {
      const steps = new BudgetedSteps(context, budgetOf(context.task))
      await context.progress(2, words.planning)
      const planned = await steps.ask('plan', 'plan', projectPrompt(context.task), words.plan)
      const project = projectOf(planned?.text, context.task)
      // Without planned files, the program is requested as a single file.
      if (project.files.length === 0) project.files.push({ path: 'PROGRAM.md', purpose: 'the whole program' })
      const generated = await writeFiles(context, confine, steps, project)
      const trouble = steps.firstError
      if (generated.written.length === 0 && trouble) throw trouble
      await saveProject(context, project, generated, await readmeOf(context, steps, project, generated))
      const end = steps.gaps.length === 0 ? words.done : words.partial
      await context.progress(100, end)
      return pipelineResult(end, steps.gaps)
    },
  }
}

interface GeneratedFiles {
  written: WrittenFile[]
  missing: string[]
  /** Paths that a parser accepted. */
  checked: string[]
}

async function writeFiles(
  context: StepContext,
  confine: ConfinedRunner,
  steps: BudgetedSteps<CodeStep>,
  project: Project,
): Promise<GeneratedFiles> {
  const generated: GeneratedFiles = { written: [], missing: [], checked: [] }
  let repairs = 0
  for (const [index, file] of project.files.entries()) {
    await context.progress(5 + Math.floor((80 * index) / project.files.length), words.writing(file.path))
    let text = await writeFile(context, steps, project, file, {
      written: generated.written,
      step: `file/${index + 1}`,
    })
    if (text === undefined) {
      generated.missing.push(file.path)
      continue
    }
    let { fault, isChecked } = await checkFile(context, confine, `check/${index + 1}`, {
      path: file.path,
      text,
    })
    if (fault !== undefined && repairs < maxRepairs) {
      repairs += 1
      const prompt = repairPrompt(context.task, project, { path: file.path, text, fault })
      const repaired = await steps.ask('mend', `mend/${index + 1}`, prompt, words.mend(file.path))
      if (repaired) {
        text = contentOf(repaired.text)
        ;({ fault, isChecked } = await checkFile(context, confine, `check/${index + 1}/again`, {
          path: file.path,
          text,
        }))
      }
    }
    if (fault !== undefined) steps.gaps.push({ what: words.fault(file.path), reason: 'fault' })
    else if (isChecked) generated.checked.push(file.path)
    generated.written.push({ path: file.path, text, ...(fault !== undefined && { fault }) })
  }
  return generated
}

async function writeFile(
  context: StepContext,
  steps: BudgetedSteps<CodeStep>,
  project: Project,
  file: PlannedFile,
  { written, step }: { written: readonly WrittenFile[]; step: string },
): Promise<string | undefined> {
  const before = writtenText(written, materialBytes.written - 200)
  const answer = await steps.ask(
    'file',
    step,
    filePrompt(context.task, project, file, before),
    words.file(file.path),
  )
  if (!answer) return undefined
  if (!answer.isWhole) steps.gaps.push({ what: words.file(file.path), reason: 'cut' })
  return /\.(?:md|markdown)$/i.test(file.path) ? markdownOf(answer.text) : contentOf(answer.text)
}

async function readmeOf(
  context: StepContext,
  steps: BudgetedSteps<CodeStep>,
  project: Project,
  generated: GeneratedFiles,
): Promise<string> {
  const { task } = context
  await context.progress(88, words.writing(readmePath))
  const written = writtenText(generated.written, materialBytes.written - 200)
  const answer = await steps.ask(
    'readme',
    'readme',
    readmePrompt(task, project, written),
    words.file(readmePath),
  )
  const paths = generated.written.map(({ path }) => path)
  const own = answer
    ? markdownOf(answer.text)
    : plainReadme(project.title, project.description, paths, task.language)
  const faults = generated.written.flatMap(({ path, fault }) =>
    fault === undefined ? [] : [{ path, fault }],
  )
  const { missing, checked } = generated
  return `${own.trimEnd()}\n\n${readmeNotes({ faults, missing, checked, isSandbox: task.isSandbox }, task.language)}`
}

async function saveProject(
  context: StepContext,
  project: Project,
  { written }: GeneratedFiles,
  readme: string,
): Promise<void> {
  const { language, isSandbox, startedMs } = context.task
  await context.progress(94, words.packing)
  const purposes = new Map(project.files.map(({ path, purpose }) => [path, purpose]))
  const files: Required<BundledFile>[] = [{ path: readmePath, text: readme }, ...written].map(
    ({ path, text }) => ({
      path,
      bytes: encode(text),
      mediaType: inertMediaType(path),
      title: titleWithMark(purposes.get(path) || path, language, isSandbox),
    }),
  )
  for (const file of files) await context.saveFile(file)
  await context.saveFile({
    path: 'project.zip',
    bytes: await zip(files, startedMs),
    mediaType: mediaTypes.zip,
    title: titleWithMark(words.zip[language], language, isSandbox),
  })
}
