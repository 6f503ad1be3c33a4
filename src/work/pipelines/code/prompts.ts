import { singleLine, truncatedText } from '../cut.ts'
import type { Task } from '../pipelines.ts'
import { dataBlock, type Prompt, systemText, taskText } from '../prompts.ts'
import { maxFiles, type PlannedFile, type Project, projectSchema } from './project.ts'

const role =
  'You are an experienced software engineer. You write small, whole, working programs with as few dependencies as can be.'

export const projectPrompt = (task: Task): Prompt => ({
  system: systemText(role, task, 'whole'),
  subject: taskText(task, 'whole'),
  instruction: `Plan this project: a name, a description of one or two sentences, and its files, at most ${maxFiles}, in the order in which they are best written. Paths are relative, with / between folders. README.md is written at the end without being planned; manifest.json and project.zip at the top are taken by us, so a file of such a name needs a folder.`,
  schema: projectSchema,
})

export interface WrittenFile {
  path: string
  text: string
  /** The parser's error. */
  fault?: string
}

const listOf = ({ files }: Project): string =>
  truncatedText(files.map(({ path, purpose }) => `${path}: ${singleLine(purpose, 160)}`).join('\n'), 3_500)

/** The files written so far, each truncated to an equal share of `maxBytes`. */
export function writtenText(written: readonly WrittenFile[], maxBytes: number): string {
  const share = Math.floor(maxBytes / Math.max(1, written.length)) - 500
  return written.map(({ path, text }) => dataBlock(path, truncatedText(text, share))).join('\n')
}

export const filePrompt = (task: Task, project: Project, file: PlannedFile, written: string): Prompt => ({
  system: systemText(role, task, 'whole'),
  subject: `${taskText(task, 'whole')}\n\nThe files of the project:\n${dataBlock('files', listOf(project))}`,
  ...(written && { material: `Files that are written already:\n${written}` }),
  instruction: `Write the file ${file.path} whole${file.purpose ? ` (${singleLine(file.purpose, 400)})` : ''}. Answer with its content in one code block and nothing else. It has to fit the files that are written already.`,
})

export const repairPrompt = (
  task: Task,
  project: Project,
  { path, text, fault = '' }: WrittenFile,
): Prompt => ({
  system: systemText(role, task, 'whole'),
  subject: `${taskText(task, 'whole')}\n\nThe files of the project:\n${dataBlock('files', listOf(project))}`,
  material: `The file ${path}:\n${dataBlock(path, text)}`,
  instruction: `A parser refuses this file:\n${dataBlock('parser', singleLine(fault, 400))}\nWrite the file ${path} whole and right. Answer with its content in one code block and nothing else.`,
})

export const readmePrompt = (task: Task, project: Project, written: string): Prompt => ({
  system: systemText(role, task, 'whole'),
  subject: `${taskText(task, 'whole')}\n\nThe files of the project:\n${dataBlock('files', listOf(project))}`,
  material: `Their content:\n${written}`,
  instruction:
    'Write README.md of this project: what it does, what it needs, how it is started and used, how it is built up. Answer with Markdown and nothing else.',
})
