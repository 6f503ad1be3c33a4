import { headOf, lineOf } from '../cut.ts'
import type { Task } from '../pipelines.ts'
import { type Prompt, quoted, systemText, taskText } from '../prompts.ts'
import { maxFiles, type PlannedFile, type Project, projectSchema } from './project.ts'

const role =
  'You are an experienced software engineer. You write small, whole, working programs with as few dependencies as can be.'

export const projectPrompt = (task: Task): Prompt => ({
  system: systemText(role, task, 'whole'),
  about: taskText(task, 'whole'),
  order: `Plan this project: a name, a description of one or two sentences, and its files, at most ${maxFiles}, in the order in which they are best written. Paths are relative, with / between folders. README.md is written at the end without being planned; manifest.json and project.zip at the top are taken by us, so a file of such a name needs a folder.`,
  schema: projectSchema,
})

export interface Written {
  path: string
  text: string
  /** The parser's error. */
  fault?: string
}

const listOf = ({ files }: Project): string =>
  headOf(files.map(({ path, purpose }) => `${path}: ${lineOf(purpose, 160)}`).join('\n'), 3_500)

/** The files written so far, each truncated to an equal share of `maxBytes`. */
export function writtenText(written: readonly Written[], maxBytes: number): string {
  const share = Math.floor(maxBytes / Math.max(1, written.length)) - 500
  return written.map(({ path, text }) => quoted(path, headOf(text, share))).join('\n')
}

export const filePrompt = (task: Task, project: Project, file: PlannedFile, written: string): Prompt => ({
  system: systemText(role, task, 'whole'),
  about: `${taskText(task, 'whole')}\n\nThe files of the project:\n${quoted('files', listOf(project))}`,
  ...(written && { material: `Files that are written already:\n${written}` }),
  order: `Write the file ${file.path} whole${file.purpose ? ` (${lineOf(file.purpose, 400)})` : ''}. Answer with its content in one code block and nothing else. It has to fit the files that are written already.`,
})

export const repairPrompt = (task: Task, project: Project, { path, text, fault = '' }: Written): Prompt => ({
  system: systemText(role, task, 'whole'),
  about: `${taskText(task, 'whole')}\n\nThe files of the project:\n${quoted('files', listOf(project))}`,
  material: `The file ${path}:\n${quoted(path, text)}`,
  order: `A parser refuses this file:\n${quoted('parser', lineOf(fault, 400))}\nWrite the file ${path} whole and right. Answer with its content in one code block and nothing else.`,
})

export const readmePrompt = (task: Task, project: Project, written: string): Prompt => ({
  system: systemText(role, task, 'whole'),
  about: `${taskText(task, 'whole')}\n\nThe files of the project:\n${quoted('files', listOf(project))}`,
  material: `Their content:\n${written}`,
  order:
    'Write README.md of this project: what it does, what it needs, how it is started and used, how it is built up. Answer with Markdown and nothing else.',
})
