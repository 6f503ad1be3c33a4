import { truncatedText } from '../cut.ts'
import type { Task } from '../pipelines.ts'
import { dataBlock, type Prompt, systemText, taskText } from '../prompts.ts'
import type { Outline, OutlineSection } from './outline.ts'
import { maxSections, outlineSchema } from './outline.ts'

const role =
  'You are an experienced writer and editor who writes documents that are complete, concrete and well built.'

export const outlinePrompt = (task: Task, passages: string): Prompt => ({
  system: systemText(role, task, 'whole'),
  subject: taskText(task, 'whole'),
  ...(passages && { material: passages }),
  instruction: `Plan this document: a title, a subtitle if it helps, and the sections in their order, at most ${maxSections}, fewer for a short text. For each section a heading without a number and, in one or two sentences, what it has to say; name tables and footnotes there where the task asks for them.`,
  schema: outlineSchema(),
})

export interface SectionOptions {
  task: Task
  outline: Outline
  section: OutlineSection
  /** The end of the preceding section. */
  before: string
  passages: string
}

export const sectionPrompt = ({ task, outline, section, before, passages }: SectionOptions): Prompt => ({
  system: systemText(role, task, 'whole'),
  subject: `${taskText(task, 'whole')}\n\nThe document and its sections:\n${dataBlock('outline', truncatedText([outline.title, ...outline.sections.map(({ title }) => `- ${title}`)].join('\n'), 3_000))}`,
  material: [
    ...(before ? [`The text before this section ends so:\n${dataBlock('before', before)}`] : []),
    ...(passages ? [passages] : []),
  ].join('\n\n'),
  instruction: [
    `Write the section «${section.title}».`,
    ...(section.brief ? [`It has to say: ${truncatedText(section.brief, 1_200)}`] : []),
    'Write Markdown of about 4 paragraphs, or what the task asks for, without the heading of the section; smaller headings begin with ##. Tables are Markdown tables, footnotes are [^1] with their text in a line [^1]: below, both where the task asks for them or they make the text clearer. Repeat nothing of the other sections, and write nothing about yourself or this order.',
    ...(passages ? ['Where you rely on a passage, cite its number as [1] at the end of the sentence.'] : []),
  ].join('\n'),
})
