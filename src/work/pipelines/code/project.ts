import { pathFault } from '#work/documents'
import { singleLine } from '../cut.ts'
import { titleOf } from '../document/outline.ts'
import { listIn, readJson, textIn } from '../json.ts'
import type { Task } from '../pipelines.ts'

export interface PlannedFile {
  path: string
  purpose: string
}

export interface Project {
  title: string
  description: string
  files: PlannedFile[]
}

export const maxFiles = 10
const limits = { path: 120, parts: 6, purpose: 400, description: 600 }
export const readmePath = 'README.md'

export const projectSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    description: { type: 'string' },
    files: {
      type: 'array',
      minItems: 1,
      maxItems: maxFiles,
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, purpose: { type: 'string' } },
        required: ['path', 'purpose'],
      },
    },
  },
  required: ['name', 'description', 'files'],
}

/** Parses the planned project. Paths outside its folder, duplicates and files whose path is a folder are dropped. */
export function projectOf(answer: string | undefined, task: Task): Project {
  const json = answer === undefined ? undefined : readJson(answer)
  const files: PlannedFile[] = []
  const taken = new Set(['project.zip', 'manifest.json', readmePath.toLowerCase()])
  for (const entry of listIn(json, 'files', 4 * maxFiles)) {
    const path = pathOf(typeof entry === 'string' ? entry : textIn(entry, 'path'))
    if (path === undefined || files.length === maxFiles || clashes(path, taken)) continue
    taken.add(path.toLowerCase())
    files.push({ path, purpose: singleLine(textIn(entry, 'purpose'), limits.purpose) })
  }
  return {
    title: titleOf(task, textIn(json, 'name')),
    description: singleLine(textIn(json, 'description'), limits.description),
    files,
  }
}

/** Returns a path that is safe to unpack on every system and easy to type in a shell, or undefined. */
function pathOf(written: string): string | undefined {
  const path = written.trim().replace(/^\.\//, '')
  const isPlain =
    /^[\p{L}\p{N}._@+()[\]-]+(?:\/[\p{L}\p{N}._@+()[\]-]+)*$/u.test(path) && path.length <= limits.path
  if (!isPlain || path.split('/').length > limits.parts || pathFault(path) !== undefined) return undefined
  // Paths that developer tools execute or read automatically are refused.
  return path.split('/').some((part) => /^(?:\.git|\.ssh|node_modules)$/i.test(part)) ? undefined : path
}

function clashes(path: string, taken: ReadonlySet<string>): boolean {
  const folded = path.toLowerCase()
  return [...taken].some(
    (other) => other === folded || other.startsWith(`${folded}/`) || folded.startsWith(`${other}/`),
  )
}
