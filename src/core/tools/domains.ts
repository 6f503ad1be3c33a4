interface DomainRule {
  host: string
  path: RegExp
}

/** Whether the rules of a call let this address pass. */
export type DomainFilter = (url: URL) => boolean

/**
 * `example.com` stands for itself and its subdomains, `example.com/blog` for everything under that path, and the path may hold one `*` for a part of
 * a segment. A rule that cannot be read allows nothing and blocks nothing; wires refuse it by `isDomainRule`.
 */
export function domainFilter(
  allowed: readonly string[] | undefined,
  blocked: readonly string[] | undefined,
): DomainFilter {
  const allowing = readRules(allowed)
  const blocking = readRules(blocked)
  const open = (allowed?.length ?? 0) === 0
  return (url) => (open || allowing.some(covers(url))) && !blocking.some(covers(url))
}

/** Whether a text is a domain rule: a host without scheme and port, with or without a path. */
export const isDomainRule = (text: string): boolean => readRule(text) !== undefined

/** The hosts of rules, each once, for vendors and search operators that know no paths. */
export const hostsOf = (rules: readonly string[] | undefined): string[] => [
  ...new Set(readRules(rules).map(({ host }) => host)),
]

const readRules = (rules: readonly string[] | undefined): DomainRule[] =>
  (rules ?? []).flatMap((text) => readRule(text) ?? [])

function readRule(text: string): DomainRule | undefined {
  const slash = text.indexOf('/')
  const host = slash === -1 ? text : text.slice(0, slash)
  const path = slash === -1 ? '' : text.slice(slash)
  // Normalised by the URL standard, so that سایت.ایران and its xn-- spelling are one domain.
  const url = /[\s:@?#\\*%]/.test(host) ? null : URL.parse(`https://${host}/`)
  if (!url?.hostname.includes('.') || path.split('*').length > 2) return undefined
  return { host: trimDot(url.hostname), path: pathPattern(path) }
}

/** `/blog` covers `/blog` and `/blog/first`, not `/blogger`. */
function pathPattern(path: string): RegExp {
  const [before, after] = asBytes(path).replace(/\/$/, '').split('*') as [string, string?]
  const pattern = after === undefined ? literally(before) : `${literally(before)}[^/]*${literally(after)}`
  return new RegExp(`^${pattern}(?:/|$)`)
}

/**
 * A path as its server reads it, a character for each byte: `/وبلاگ`, `/%D9%88…` and `/%d9%88…` are one, and `/%62log` is `/blog`. A byte that would
 * end a segment, or be an escape itself, stays escaped.
 */
const asBytes = (path: string): string =>
  Buffer.from(path)
    .toString('latin1')
    .replace(/%(?!2f|5c|25)([0-9a-f]{2})/gi, (_, byte: string) =>
      String.fromCharCode(Number.parseInt(byte, 16)),
    )

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

const covers = (url: URL) => (rule: DomainRule) => {
  const host = trimDot(url.hostname)
  return (host === rule.host || host.endsWith(`.${rule.host}`)) && rule.path.test(asBytes(url.pathname))
}

const trimDot = (host: string): string => (host.endsWith('.') ? host.slice(0, -1) : host)
