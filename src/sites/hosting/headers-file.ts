import type { Localized } from '#platform/errors'
import type { HeaderRule } from './manifest.ts'
import { type ParsedRules, type RuleProblem, readRuleLines, readRulePath } from './rules/lines.ts'
import { headerPhrases, ruleFilePhrases } from './rules/phrases.ts'

export const maxHeaderRules = 200
export const headerBounds = { maxLine: 4_096, maxBytes: 64_000 }
export const maxHeaderValue = 4_000

/**
 * The headers that a site may set for its own answers. Excluded are those that change how bytes are read or how long they are (Content-Type, -Length,
 * -Encoding), those that outlive the page on the whole host or on its neighbours (Set-Cookie, Clear-Site-Data, Service-Worker-Allowed, Alt-Svc,
 * Strict-Transport-Security), and Access-Control-Allow-Credentials.
 */
export const allowedHeaders: readonly string[] = [
  'Access-Control-Allow-Origin',
  'Cache-Control',
  'Content-Disposition',
  'Content-Language',
  'Content-Security-Policy',
  'Content-Security-Policy-Report-Only',
  'Cross-Origin-Embedder-Policy',
  'Cross-Origin-Opener-Policy',
  'Cross-Origin-Resource-Policy',
  'Link',
  'Permissions-Policy',
  'Referrer-Policy',
  'Timing-Allow-Origin',
  'X-Content-Type-Options',
  'X-Frame-Options',
  'X-Robots-Tag',
]
const byLowerCase = new Map(allowedHeaders.map((name) => [name.toLowerCase(), name]))

interface HeaderBlock {
  line: number
  path: string
  headers: Map<string, string>
}

/**
 * The rules of a `_headers` file: a path with at most one `*`, which matches anything, and below it lines `Name: value`. All blocks that
 * match a path apply to its answers: a name in a later block replaces that of an earlier one, within a block its values are joined by
 * commas. Paths are stored percent-decoded and in NFC, names as they are sent.
 */
export function parseHeaders(text: string): ParsedRules<HeaderRule> {
  const blocks: HeaderBlock[] = []
  // After a wrong path the headers below it are no problem of their own.
  let open: HeaderBlock | 'wrong' | undefined
  const problems = readRuleLines(text, headerBounds, (line, number) => {
    if (!isPath(line)) return open === 'wrong' ? undefined : readHeader(line, open)
    const read = readPattern(line)
    open = 'wrong'
    if ('why' in read) return read.why
    if (blocks.length === maxHeaderRules) return ruleFilePhrases.tooMany(maxHeaderRules)
    open = { line: number, path: read.path, headers: new Map() }
    blocks.push(open)
    return undefined
  })
  if (problems.length === 0) problems.push(...emptyBlocks(blocks))
  if (problems.length > 0) return { problems }
  return { rules: blocks.map(({ path, headers }) => ({ path, headers: [...headers] })) }
}

/** Whether a line is meant as a path, which includes one that begins as a URL. */
const isPath = (line: string): boolean => line.startsWith('/') || /^https?:\/\//i.test(line)

function readPattern(line: string): { path: string } | { why: Localized } {
  if (!line.startsWith('/') || line.startsWith('//')) return { why: ruleFilePhrases.path() }
  if (line.indexOf('*') !== line.lastIndexOf('*') || line.includes('/:')) return { why: headerPhrases.star() }
  const read = readRulePath(line)
  if ('why' in read) return read
  if (/%2a/i.test(line)) return { why: headerPhrases.star() }
  // The slash at the end is kept: a folder's page is not the file of its name.
  return line.length > 1 && line.endsWith('/') ? { path: `${read.path}/` } : read
}

function readHeader(line: string, block: HeaderBlock | undefined): Localized | undefined {
  const colon = line.indexOf(':')
  if (colon < 1) return headerPhrases.neither()
  if (!block) return headerPhrases.noPath()
  const written = line.slice(0, colon).trim()
  const name = byLowerCase.get(written.toLowerCase())
  if (name === undefined) return headerPhrases.name(written.slice(0, 60), allowedHeaders)
  const value = line.slice(colon + 1).trim()
  const before = block.headers.get(name)
  const whole = before === undefined ? value : `${before}, ${value}`
  if (value === '' || whole.length > maxHeaderValue || !/^[\x20-\x7e]+$/.test(value))
    return headerPhrases.value()
  if (name === 'X-Content-Type-Options' && whole.toLowerCase() !== 'nosniff')
    return headerPhrases.only(name, 'nosniff')
  block.headers.set(name, whole)
  return undefined
}

const emptyBlocks = (blocks: readonly HeaderBlock[]): RuleProblem[] =>
  blocks.filter(({ headers }) => headers.size === 0).map(({ line }) => ({ line, why: headerPhrases.empty() }))
