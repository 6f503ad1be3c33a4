/** Values, declarations and style sheets, of which only plain selectors are read: `.class`, `#id`, `name` and `*`. */
import { functions, maxValueLength, properties, styleProperties } from './allowed.ts'

export const idPattern = /^[^\s"'()<>&\\#]{1,256}$/
const reference = /^url\(\s*(["']?)#([^\s"'()<>&\\#]{1,256})\1\s*\)\s*(#?\w{0,32})$/i

/** The value as it may be written, or undefined if it may not. A `url` may only name an id of the drawing itself. */
export function safeValue(name: string, value: string): string | undefined {
  if (value.length > maxValueLength(name)) return undefined
  const text = value.trim()
  if (/[\\@<>]|\/\*/.test(text) || /(?:javascript|vbscript|data)\s*:/i.test(text)) return undefined
  if (!text.includes('(')) return text
  const own = reference.exec(text)
  if (own) return `url(#${own[2]})${own[3] ? ` ${own[3]}` : ''}`
  for (const [, called] of text.matchAll(/(?<![\w-])([\w-]{0,32})\s?\(/g))
    if (called!.toLowerCase() === 'url' || !functions.has(called!.toLowerCase())) return undefined
  return /[\w-]{33}\s?\(/.test(text) ? undefined : text
}

/** The id that a value refers to. */
export const referenceOf = (value: string): string | undefined => /^url\(#([^)]*)\)/.exec(value)?.[1]

/** Allowed declarations by property; a later one replaces an earlier. */
export function declarationsOf(style: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const declaration of withoutComments(style).split(';')) {
    const colon = declaration.indexOf(':')
    const name = declaration.slice(0, Math.max(0, colon)).trim().toLowerCase()
    if (!properties.has(name) && !styleProperties.has(name)) continue
    const value = safeValue(name, declaration.slice(colon + 1).replace(/!\s?important\s*$/i, ''))
    if (value) found.set(name, value)
  }
  return found
}

/** Declarations by selector. */
export type Sheet = Map<string, Map<string, string>>

export function addRules(sheet: Sheet, text: string): void {
  const css = withoutComments(text)
  let at = 0
  for (;;) {
    const open = css.indexOf('{', at)
    if (open < 0) return
    const before = css.slice(at, open)
    const prelude = before.slice(before.lastIndexOf(';') + 1).trim()
    const close = prelude.startsWith('@') ? endOfBlock(css, open) : css.indexOf('}', open)
    if (close < 0) return
    at = close + 1
    if (prelude.startsWith('@')) continue
    const declared = declarationsOf(css.slice(open + 1, close))
    for (const selector of prelude.split(',', 64).map((part) => part.trim()))
      if (/^(?:\*|[.#]?[\w-]{1,128})$/.test(selector))
        sheet.set(selector, new Map([...(sheet.get(selector) ?? []), ...declared]))
  }
}

function endOfBlock(css: string, open: number): number {
  let depth = 0
  for (let at = open; at < css.length; at++) {
    if (css[at] === '{') depth += 1
    else if (css[at] === '}' && --depth === 0) return at
  }
  return -1
}

/** The text without its comments. A regular expression would read unclosed comments again and again. */
function withoutComments(css: string): string {
  let kept = ''
  for (let at = 0; ; ) {
    const open = css.indexOf('/*', at)
    if (open < 0) return kept + css.slice(at)
    kept += css.slice(at, open)
    const close = css.indexOf('*/', open + 2)
    if (close < 0) return kept
    at = close + 2
  }
}
