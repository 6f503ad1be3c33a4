import { pathFault } from '#engine/documents'
import { lineOf } from '../cut.ts'
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

/** The project as the model planned it: only paths that lead into its own folder, each once, and no file where a folder is. */
export function projectOf(answer: string | undefined, task: Task): Project {
  const json = answer === undefined ? undefined : readJson(answer)
  const files: PlannedFile[] = []
  const taken = new Set(['project.zip', 'manifest.json', readmePath.toLowerCase()])
  for (const entry of listIn(json, 'files', 4 * maxFiles)) {
    const path = pathOf(typeof entry === 'string' ? entry : textIn(entry, 'path'))
    if (path === undefined || files.length === maxFiles || clashes(path, taken)) continue
    taken.add(path.toLowerCase())
    files.push({ path, purpose: lineOf(textIn(entry, 'purpose'), limits.purpose) })
  }
  return {
    title: titleOf(task, textIn(json, 'name')),
    description: lineOf(textIn(json, 'description'), limits.description),
    files,
  }
}

/** A path that every system can unpack where it should, in characters that every shell can type; undefined for others. */
function pathOf(written: string): string | undefined {
  const path = written.trim().replace(/^\.\//, '')
  const isPlain =
    /^[\p{L}\p{N}._@+()[\]-]+(?:\/[\p{L}\p{N}._@+()[\]-]+)*$/u.test(path) && path.length <= limits.path
  if (!isPlain || path.split('/').length > limits.parts || pathFault(path) !== undefined) return undefined
  // What tools of a developer run or obey by themselves is not handed over.
  return path.split('/').some((part) => /^(?:\.git|\.ssh|node_modules)$/i.test(part)) ? undefined : path
}

function clashes(path: string, taken: ReadonlySet<string>): boolean {
  const folded = path.toLowerCase()
  return [...taken].some(
    (other) => other === folded || other.startsWith(`${folded}/`) || folded.startsWith(`${other}/`),
  )
}
