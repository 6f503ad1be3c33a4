/** Rules of a version, prepared for many lookups. */
import type { HeaderRule, Redirect } from '../manifest.ts'

export interface RedirectMatch {
  rule: Redirect
  /** What `*` matched, percent-decoded. */
  splat: string
}

/** Finds the first rule of the file that matches, in a time that grows with the segments of the path, not with the rules. */
export class Redirects {
  readonly #exact = new Map<string, number>()
  /** The rules that end with `*`, by the path before it, without the slash at its end. */
  readonly #below = new Map<string, number>()
  readonly #rules: readonly Redirect[]

  constructor(rules: readonly Redirect[]) {
    this.#rules = rules
    for (const [index, { from }] of rules.entries()) {
      const [map, key] = from.endsWith('/*') ? [this.#below, from.slice(0, -2)] : [this.#exact, from]
      if (!map.has(key)) map.set(key, index)
    }
  }

  /** `path` starts with a slash, is percent-decoded and has no slash at its end. */
  match(path: string): RedirectMatch | undefined {
    if (this.#rules.length === 0) return undefined
    const whole = path === '/' ? '' : path
    let first = this.#exact.get(path) ?? this.#rules.length
    let splat = ''
    for (let end = whole.length; end >= 0; end = end === 0 ? -1 : whole.lastIndexOf('/', end - 1)) {
      const index = this.#below.get(whole.slice(0, end))
      if (index === undefined || index >= first) continue
      first = index
      splat = whole.slice(end + 1)
    }
    const rule = this.#rules[first]
    return rule && { rule, splat }
  }
}

/** Whether the pattern of a rule, with at most one `*`, matches. */
function matches(pattern: string, path: string): boolean {
  const star = pattern.indexOf('*')
  if (star === -1) return pattern === path
  return (
    path.length >= pattern.length - 1 &&
    path.startsWith(pattern.slice(0, star)) &&
    path.endsWith(pattern.slice(star + 1))
  )
}

/** The headers of all rules that match one of the paths, by name; a later rule replaces what an earlier one says. */
export function headersFor(rules: readonly HeaderRule[], paths: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  for (const rule of rules)
    if (paths.some((path) => matches(rule.path, path)))
      for (const [name, value] of rule.headers) headers.set(name, value)
  return headers
}
