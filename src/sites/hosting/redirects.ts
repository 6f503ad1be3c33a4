import type { Localized } from '#platform/errors'
import type { Redirect } from './manifest.ts'
import { type ParsedRules, readRuleLines, readRulePath } from './rules/lines.ts'
import { redirectPhrases, ruleFilePhrases } from './rules/phrases.ts'

export const maxRedirects = 1_000
export const redirectBounds = { maxLine: 2_000, maxBytes: 250_000 }

const statuses: readonly number[] = [301, 302, 307, 308]
const isStatus = (status: number): status is Redirect['status'] => statuses.includes(status)

/**
 * The rules of a `_redirects` file: `/from /to [status]` a line, 301 where none is written; what follows a lone `#` is a comment. The last segment of
 * `from` may be `*`, which also matches nothing, and `:splat` in `to` stands for what it matched. `to` is written as it stands in `Location`,
 * percent-encoded, with its query and fragment. Only paths of the same site are accepted; files of the site come before rules.
 */
export function parseRedirects(text: string): ParsedRules<Redirect> {
  const rules: Redirect[] = []
  const problems = readRuleLines(text, redirectBounds, (line) => {
    const read = readRedirect(line)
    if ('why' in read) return read.why
    if (rules.length === maxRedirects) return ruleFilePhrases.tooMany(maxRedirects)
    rules.push(read)
    return undefined
  })
  return problems.length > 0 ? { problems } : { rules }
}

function readRedirect(line: string): Redirect | { why: Localized } {
  const parts = line.split(/[ \t]+/)
  const comment = parts.findIndex((part) => part.startsWith('#'))
  const [from, to, status = '301', ...rest] = comment === -1 ? parts : parts.slice(0, comment)
  if (from === undefined || to === undefined || rest.length > 0) return { why: redirectPhrases.parts() }
  const why = wrongStatus(status)
  if (why) return { why }
  const source = readFrom(from)
  if ('why' in source) return source
  const target = readTo(to, source.path.endsWith('*'))
  if ('why' in target) return target
  if (leadsToItself(source.path, target.to)) return { why: redirectPhrases.itself() }
  return { from: source.path, to: target.to, status: Number(status) as Redirect['status'] }
}

function wrongStatus(status: string): Localized | undefined {
  if (status.endsWith('!')) return redirectPhrases.forced()
  if (status === '200') return redirectPhrases.rewrite()
  if (status === '404') return redirectPhrases.notFound()
  return /^\d{3}$/.test(status) && isStatus(Number(status)) ? undefined : redirectPhrases.status()
}

function readFrom(from: string): { path: string } | { why: Localized } {
  const star = from.indexOf('*')
  if (/%2a/i.test(from) || (star !== -1 && !(star === from.length - 1 && from[star - 1] === '/')))
    return { why: redirectPhrases.star() }
  if (from.includes('/:')) return { why: redirectPhrases.placeholder() }
  return readRulePath(from)
}

function readTo(to: string, hasSplat: boolean): { to: string } | { why: Localized } {
  if (!to.startsWith('/') || to.includes('\\')) return { why: ruleFilePhrases.otherSite() }
  const [path = ''] = to.split(/[?#]/, 1)
  const words = path.match(/(?<=\/):\w+/g) ?? []
  if (words.some((word) => word !== ':splat') || path.includes('*'))
    return { why: redirectPhrases.placeholder() }
  if (to.includes(':splat') && !hasSplat) return { why: redirectPhrases.splat() }
  // A Location that begins with two slashes leads to another host, also once dots are resolved.
  const read = readRulePath(path)
  if ('why' in read) return path.startsWith('//') ? { why: ruleFilePhrases.otherSite() } : read
  const url = URL.parse(to, 'http://site.invalid')
  if (url?.host !== 'site.invalid') return { why: ruleFilePhrases.otherSite() }
  return { to: url.pathname + url.search + url.hash }
}

/** Whether a rule leads to itself. A longer chain of rules is the browser's to end: the server follows none. */
function leadsToItself(from: string, to: string): boolean {
  const target = readRulePath(to.split(/[?#]/, 1)[0]!)
  return 'path' in target && target.path === (from.endsWith('/*') ? `${from.slice(0, -1)}:splat` : from)
}
