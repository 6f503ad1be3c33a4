import { sniff } from '#core/magic'
/** Writes an untrusted SVG anew, with nothing in it that runs, moves, links or loads. */
import { isTooLarge, measureImage } from '../image.ts'
import {
  attributes as allowed,
  elements,
  properties,
  referringElements,
  styleProperties,
  textElements,
  unwrappedElements,
} from './allowed.ts'
import { checkExpansion } from './expansion.ts'
import { parseSvg, type SvgElement, SvgError } from './parse.ts'
import { addRules, declarationsOf, idPattern, type Sheet, safeValue } from './style.ts'
import { svgText } from './written.ts'

/**
 * The drawing with allowed elements and attributes only: style sheets and `style` become the attributes that they stand for, references
 * lead into the drawing itself, pictures are embedded PNG, JPEG or WebP. Cleaning it again gives the same text. Takes a second of
 * processor time for hostile megabytes, so it belongs in a confined process. Throws `SvgError`.
 */
export function cleanSvg(bytes: Uint8Array): string {
  const root = parseSvg(bytes)
  if (root.name !== 'svg') throw new SvgError('syntax')
  const context: Context = { sheet: new Map(), ids: new Set(), pixels: 0, characters: 0 }
  readSheets(root, context.sheet)
  const clean = cleanElement(root, context)!
  checkExpansion(clean)
  return svgText(clean)
}

interface Context {
  sheet: Sheet
  ids: Set<string>
  /** The pixels of all embedded pictures. */
  pixels: number
  /** The characters of all texts. */
  characters: number
}

const maxPixels = 50_000_000
/** Letters are shaped one text at a time, and the memory and time for it grow faster than their number. */
const maxTextCharacters = 50_000

function readSheets(element: SvgElement, sheet: Sheet): void {
  if (element.name === 'style') {
    const css = element.children.filter((child) => typeof child === 'string').join('')
    addRules(sheet, css)
  }
  for (const child of element.children) if (typeof child !== 'string') readSheets(child, sheet)
}

function cleanElement(element: SvgElement, context: Context, parent = 'g'): SvgElement | undefined {
  const group = textElements.has(parent) ? 'tspan' : 'g'
  const name = element.name !== undefined && unwrappedElements.has(element.name) ? group : element.name
  if (name === undefined || !elements.has(name)) return undefined
  const attributes = cleanAttributes(name, element.attributes, context)
  if (name === 'image' && !attributes.has('href')) return undefined
  const children: SvgElement['children'] = []
  for (const child of element.children) {
    if (typeof child !== 'string') {
      const clean = cleanElement(child, context, name)
      if (clean) children.push(clean)
    } else if (textElements.has(name) && child !== '') {
      context.characters += child.length
      if (context.characters > maxTextCharacters) throw new SvgError('size')
      children.push(child)
    }
  }
  return { name, attributes, children }
}

function cleanAttributes(name: string, given: Map<string, string>, context: Context): Map<string, string> {
  const kept = new Map<string, string>()
  for (const [key, value] of given) {
    const safe =
      key === 'id'
        ? newId(value, context)
        : key === 'href'
          ? cleanHref(name, value, context)
          : properties.has(key) || allowed.has(key)
            ? safeValue(key, value)
            : undefined
    if (safe !== undefined) kept.set(key, safe)
  }
  const style = cascade(name, given, context.sheet)
  for (const [key, value] of style) if (!styleProperties.has(key)) kept.set(key, value)
  const rest = [...style].filter(([key]) => styleProperties.has(key))
  if (rest.length > 0) kept.set('style', rest.map(([key, value]) => `${key}:${value}`).join(';'))
  return kept
}

/** The declarations by rising weight: for all elements, by name, by class, by id, the element's own. */
function cascade(name: string, given: Map<string, string>, sheet: Sheet): Map<string, string> {
  const style = given.get('style')
  const own = style === undefined ? undefined : declarationsOf(style)
  if (sheet.size === 0) return own ?? new Map()
  const classes = (given.get('class') ?? '').slice(0, 2_048).split(/\s+/, 32)
  const selectors = ['*', name, ...classes.map((each) => `.${each}`), `#${given.get('id') ?? ''}`]
  const found = new Map<string, string>()
  for (const rules of [...selectors.map((selector) => sheet.get(selector)), own])
    for (const [key, value] of rules ?? []) found.set(key, value)
  return found
}

/** The first of several elements with one id keeps it, as in browsers. */
function newId(value: string, { ids }: Context): string | undefined {
  if (!idPattern.test(value) || ids.has(value)) return undefined
  ids.add(value)
  return value
}

function cleanHref(name: string, value: string, context: Context): string | undefined {
  const text = value.trim()
  if (name === 'image') return cleanImageHref(text, context)
  return referringElements.has(name) && text.startsWith('#') && idPattern.test(text.slice(1))
    ? text
    : undefined
}

/** The bytes decide the type of an embedded picture; SVG within SVG is left out. */
function cleanImageHref(href: string, context: Context): string | undefined {
  const comma = href.indexOf(',')
  if (comma < 0 || comma > 64 || !/^data:image\/[a-z]{3,4};base64$/i.test(href.slice(0, comma)))
    return undefined
  const bytes = Buffer.from(href.slice(comma + 1), 'base64')
  const type = sniff(bytes)
  if (type !== 'image/png' && type !== 'image/jpeg' && type !== 'image/webp') return undefined
  const size = measureImage(bytes)
  if (!size || isTooLarge(size)) return undefined
  context.pixels += size.width * size.height
  if (context.pixels > maxPixels) throw new SvgError('size')
  return `data:${type};base64,${bytes.toString('base64')}`
}
