import { bytesOf, truncatedText } from '../cut.ts'
import { type OutlineSection, outlineSchema } from '../document/outline.ts'
import type { Task } from '../pipelines.ts'
import { dataBlock, dataTagBytes, type Prompt, systemText, taskText } from '../prompts.ts'
import { limits, limitsOfDepth, materialBytes, materialBytesOf } from './budget.ts'
import { relevantPassages } from './evidence.ts'
import type { ReadSource } from './gather.ts'
import { type Inquiry, inquirySchema } from './inquiry.ts'
import type { Sentence } from './sentences.ts'

const researcher =
  'You are a careful researcher. You know nothing but what the sources say, and you say where each thing stands.'
const checker =
  'You check sentences against their sources. You trust neither the sentences nor your memory: only what stands in the text of the source counts.'

const questionsText = ({ questions }: Inquiry): string =>
  `The questions:\n${dataBlock('questions', questions.map((question) => `- ${question}`).join('\n'))}`

export const inquiryPrompt = (task: Task): Prompt => ({
  system: systemText(researcher, task, 'whole'),
  subject: taskText(task, 'whole'),
  instruction: `Plan the research: a title for the report, at most ${limitsOfDepth(task).questions} questions that together answer the task, and at most ${limitsOfDepth(task).queries} queries for a search engine, the most important first, each in the language that its best sources are likely to be written in.`,
  schema: inquirySchema(limitsOfDepth(task)),
})

export const notesPrompt = (task: Task, inquiry: Inquiry, source: ReadSource): Prompt => ({
  system: systemText(researcher, task, 'short'),
  subject: questionsText(inquiry),
  material: `A source:\n${dataBlock(source.title, relevantPassages(source.text, inquiry.questions.join(' '), materialBytes.page - 3_500))}`,
  instruction:
    'Note what this source says about the questions: one fact in each line, beginning with "- ", with its numbers, names and dates exactly as they stand in the source. Add nothing of your own. If it says nothing about the questions, answer with the single word NOTHING.',
})

export interface SourceNotes {
  source: ReadSource
  number: number
  notes: string
}

const notesText = (task: Task, noted: readonly SourceNotes[]): string => {
  const share = Math.floor(materialBytesOf(task).notes / Math.max(1, noted.length)) - dataTagBytes - 16
  return noted
    .map(({ source, number, notes }) => `[${number}] ${dataBlock(source.title, truncatedText(notes, share))}`)
    .join('\n')
}

export const outlinePrompt = (task: Task, inquiry: Inquiry, noted: readonly SourceNotes[]): Prompt => ({
  system: systemText(researcher, task, 'whole'),
  subject: `${taskText(task, 'whole')}\n\n${questionsText(inquiry)}`,
  material: `Notes from the sources, by their numbers:\n${notesText(task, noted)}`,
  instruction: `Plan the report from these notes: its sections in their order, at most ${limitsOfDepth(task).sections}, each with a heading without a number and one sentence that says what it answers. Plan only what the notes can support; a summary and the list of sources are added without you.`,
  schema: outlineSchema(limitsOfDepth(task).sections),
})

export const draftPrompt = (
  task: Task,
  section: OutlineSection,
  all: readonly OutlineSection[],
  noted: readonly SourceNotes[],
): Prompt => ({
  system: systemText(researcher, task, 'whole'),
  subject: `${taskText(task, 'whole')}\n\nThe sections of the report:\n${dataBlock('sections', truncatedText(all.map(({ title }) => `- ${title}`).join('\n'), 2_000))}`,
  material: `Notes from the sources, by their numbers:\n${notesText(task, noted)}`,
  instruction: [
    `Write the section «${section.title}».`,
    ...(section.brief ? [`It answers: ${truncatedText(section.brief, 1_200)}`] : []),
    'Write Markdown of about 3 paragraphs without the heading. End every sentence with the number of the source that it rests on, as in: … است [2]. Write nothing that no note says, keep numbers exactly as they are noted, and say it where sources disagree. No links, no footnotes, no list of sources.',
  ].join('\n'),
})

export const summaryPrompt = (task: Task, heading: string, written: string): Prompt => ({
  system: systemText(researcher, task, 'whole'),
  subject: taskText(task, 'whole'),
  material: `The report:\n${dataBlock('report', truncatedText(written, materialBytesOf(task).notes - dataTagBytes))}`,
  instruction: `Write «${heading}»: at most 6 sentences that answer the task from this report, each ending with the numbers of its sources as they stand in the report, as in [2]. Nothing that the report does not say; no heading, no list of sources.`,
})

export const checkSchema = {
  type: 'object',
  properties: {
    checks: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          verdict: { type: 'string', enum: ['supported', 'unsupported', 'contradicted', 'no-claim'] },
          source: { type: 'integer' },
          quote: { type: 'string' },
        },
        required: ['id', 'verdict'],
      },
    },
  },
  required: ['checks'],
}

/** Numbered sentences for the verifier. Those beyond the budget are left out and stay unchecked. */
export function claimLines(sentences: readonly Sentence[]): string[] {
  const lines: string[] = []
  let bytes = 2_500
  for (const [index, { text, numbers }] of sentences.slice(0, limits.claims).entries()) {
    const line = `${index + 1}. ${truncatedText(text.replace(/\s+/g, ' '), 1_200)} (cites: ${numbers.join(', ') || 'nothing'})`
    bytes += bytesOf(line) + 1
    if (bytes > materialBytes.claims) break
    lines.push(line)
  }
  return lines
}

export function checkPrompt(
  task: Task,
  lines: readonly string[],
  sources: readonly { number: number; source: ReadSource }[],
): Prompt {
  const share = Math.floor(materialBytesOf(task).sources / Math.max(1, sources.length)) - dataTagBytes - 16
  const claims = lines.join(' ')
  return {
    system: systemText(checker, task, 'short'),
    subject: `Sentences to check:\n${dataBlock('sentences', lines.join('\n'))}`,
    material: `Their sources:\n${sources
      .map(
        ({ number, source }) =>
          `[${number}] ${dataBlock(source.title, relevantPassages(source.text, claims, share))}`,
      )
      .join('\n')}`,
    instruction:
      'Judge each sentence by the text of the sources that it cites. supported: the source says the same; give source (its number) and quote: 4 to 20 words copied from the source letter by letter, in the language of the source. Where a sentence cites several sources, judge it once for each. contradicted: the source says otherwise. unsupported: the source does not say it. no-claim: the sentence only leads over or structures the text and states nothing that could be true or false.',
    schema: checkSchema,
  }
}
