/** Judges what was read of a body, before any content is decoded. */
import type { ByteSpan } from './json-cursor.ts'
import { PathSet, pathFault, unprintableFaults } from './path.ts'
import type { Problem } from './problem.ts'
import type { FileItem, PublicationBody } from './read-body.ts'

/** The fields of a publication that has no problem. */
export interface ValidPublication {
  name: string
  slug: string | undefined
  spa: boolean
  cloudId: string | undefined
  files: ValidFile[]
  /** The bytes of all contents that were sent, decoded. */
  sentBytes: number
}

export interface ValidFile {
  /** Its place in `files`. */
  index: number
  path: string
  source: { content: ByteSpan; bytes: number } | { sha256: string }
}

export interface ValidationLimits {
  totalBytes: number
  fileBytes: number
}

/** Files with rules for the whole site, which are read and not served. */
export const ruleFiles: ReadonlySet<string> = new Set(['_redirects', '_headers'])

/** The most problems that are reported; the others are found once these are repaired. */
const maxProblems = 10
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const hash = /^[0-9a-f]{64}$/
const equals = 0x3d

export function validatePublication(
  bytes: Buffer,
  body: PublicationBody,
  limits: ValidationLimits,
): ValidPublication | { problems: Problem[] } {
  const problems = problemsOfFields(body)
  const files: ValidFile[] = []
  const paths = new PathSet()
  const items = body.items ?? []
  for (const [index, item] of items.entries()) {
    const validated = validateItem(bytes, item, index, limits)
    const problem = 'kind' in validated ? validated : collision(paths, validated, items)
    if (problem) problems.push(problem)
    else files.push(validated as ValidFile)
    if (problems.length === maxProblems) break
  }
  const sentBytes = files.reduce((sum, { source }) => sum + ('bytes' in source ? source.bytes : 0), 0)
  if (sentBytes > limits.totalBytes)
    problems.push({ param: 'files', kind: 'allTooLarge', most: limits.totalBytes })
  if (problems.length === 0 && !files.some(({ path }) => path === 'index.html'))
    problems.push({ param: 'files', kind: 'noIndex' })
  const { name = '', slug, spa = false, cloudId } = body
  return problems.length > 0 ? { problems } : { name, slug, spa, cloudId, files, sentBytes }
}

function problemsOfFields({ name, cloudId, confirmPublic, items }: PublicationBody): Problem[] {
  const problems: Problem[] = []
  if (name === undefined) problems.push({ param: 'name', kind: 'missing' })
  else {
    const characters = [...name].length
    if (characters < 1 || characters > 100) problems.push({ param: 'name', kind: 'length', most: 100 })
    else if (!isReadable(name)) problems.push({ param: 'name', kind: 'nameUnreadable' })
  }
  if (cloudId !== undefined && !uuid.test(cloudId)) problems.push({ param: 'cloud_id', kind: 'notUuid' })
  if (confirmPublic !== true) problems.push({ param: 'confirm_public', kind: 'notPublic' })
  if (items === undefined) problems.push({ param: 'files', kind: 'missing' })
  return problems
}

/**
 * Whether a name is on one line, does not change the direction of the text around it, and has something to see. Single marks of direction are common
 * in Persian.
 */
function isReadable(name: string): boolean {
  if (!name.isWellFormed() || /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(name)) return false
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name.replace(/[\p{Default_Ignorable_Code_Point}\u2800]/gu, ''))
}

function validateItem(
  bytes: Buffer,
  item: FileItem,
  index: number,
  limits: ValidationLimits,
): ValidFile | Problem {
  const at = `files.${index}`
  const { path } = item
  if (path === undefined) return { param: `${at}.path`, kind: 'missing' }
  const fault = pathFault(path)
  if (fault)
    return { param: `${at}.path`, kind: 'path', fault, path: unprintableFaults.has(fault) ? undefined : path }
  const source = sourceOf(bytes, item, at, limits)
  return 'kind' in source ? source : { index, path, source }
}

function sourceOf(
  bytes: Buffer,
  { path, content, encoding, sha256 }: FileItem,
  at: string,
  { fileBytes }: ValidationLimits,
): ValidFile['source'] | Problem {
  if (sha256 !== undefined) {
    if (content) return { param: `${at}.sha256`, kind: 'contentOrHash' }
    if (encoding !== undefined) return { param: `${at}.encoding`, kind: 'encodingAlone' }
    if (!hash.test(sha256)) return { param: `${at}.sha256`, kind: 'notHash' }
    return ruleFiles.has(path!) ? { param: `${at}.sha256`, kind: 'rulesByHash' } : { sha256 }
  }
  if (!content) return { param: `${at}.content`, kind: 'missing' }
  if (encoding === undefined) return { param: `${at}.encoding`, kind: 'missing' }
  if (encoding !== 'base64') return { param: `${at}.encoding`, kind: 'mustBe', value: 'base64' }
  const decoded = decodedBytes(bytes, content)
  if (decoded === undefined) return { param: `${at}.content`, kind: 'notBase64' }
  if (decoded > fileBytes) return { param: `${at}.content`, kind: 'fileTooLarge', most: fileBytes }
  return { content, bytes: decoded }
}

/** The bytes of a content once decoded, by its length and padding alone; undefined where those are wrong. */
function decodedBytes(bytes: Buffer, { start, end }: ByteSpan): number | undefined {
  const length = end - start
  if (length % 4 !== 0) return undefined
  if (length === 0) return 0
  const padding = bytes[end - 1] !== equals ? 0 : bytes[end - 2] !== equals ? 1 : 2
  return (length / 4) * 3 - padding
}

function collision(
  paths: PathSet,
  { path, index }: ValidFile,
  items: readonly FileItem[],
): Problem | undefined {
  const found = paths.add(path, index)
  if (!found) return undefined
  const kind = found.kind === 'twice' ? 'sameFile' : 'alsoFolder'
  return { param: `files.${index}.path`, kind, path, other: items[found.of]!.path! }
}
