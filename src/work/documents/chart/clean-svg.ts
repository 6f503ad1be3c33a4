/** The allowed elements and attributes of a drawing. None of them runs, moves, links or loads anything. */
const elements = new Set(
  'svg g path rect circle ellipse line polyline polygon text tspan defs clipPath linearGradient radialGradient stop'.split(
    ' ',
  ),
)
const attributes = new Set(
  'xmlns version width height viewBox role aria-label d x y x1 y1 x2 y2 cx cy r rx ry points transform fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-dasharray stroke-linecap stroke-linejoin opacity font-size font-family font-weight font-style text-anchor dominant-baseline xml:space clip-path clip-rule id offset stop-color stop-opacity gradientUnits gradientTransform'.split(
    ' ',
  ),
)

const functions = new Set('url rgb rgba hsl hsla matrix translate scale rotate'.split(' '))

const piece =
  /<!--[\s\S]*?(?:-->|$)|<(\/?)([A-Za-z][\w:-]*)((?:\s+[\w:-]+\s*=\s*"[^"<]*")*)\s*(\/?)>|<|[^<]+/g
const attribute = /(?<![\w:-])([\w:-]+)\s*=\s*"([^"<]*)"/g

/**
 * Returns an SVG with drawing elements only. An unknown element is removed with everything in it, `style` becomes the attributes for which it stands,
 * and references may only point into the drawing itself.
 */
export function cleanSvg(svg: string): string {
  let clean = ''
  /** Name of the element that is left out, and how deep in elements of that name the reader is. */
  let skipped: { name: string; depth: number } | undefined
  for (const [tag, closing, name, rest = '', single] of svg.matchAll(piece)) {
    if (name === undefined) {
      if (!skipped && !tag.startsWith('<')) clean += tag
    } else if (skipped) {
      if (name !== skipped.name || single) continue
      skipped.depth += closing ? -1 : 1
      if (skipped.depth === 0) skipped = undefined
    } else if (!elements.has(name)) {
      if (!single && !closing) skipped = { name, depth: 1 }
    } else clean += closing ? `</${name}>` : `<${name}${cleanAttributes(rest)}${single}>`
  }
  return clean
}

function cleanAttributes(text: string): string {
  const allowed = new Map<string, string>()
  for (const [, name, value] of text.matchAll(attribute)) {
    if (name === 'style')
      for (const [property, own] of declarations(value!)) allowAttribute(allowed, property, own)
    else allowAttribute(allowed, name!, value!)
  }
  return [...allowed].map(([name, value]) => ` ${name}="${value}"`).join('')
}

function allowAttribute(allowed: Map<string, string>, name: string, value: string): void {
  const calls = [...value.matchAll(/((?<![\w-])[\w-]+)?\(/g)].map(([, called]) => called?.toLowerCase() ?? '')
  const leadsOut = calls.includes('url') && !/^\s*url\(#[\w-]+\)\s*$/.test(value)
  if (attributes.has(name) && !leadsOut && calls.every((called) => functions.has(called)))
    allowed.set(name, value)
}

const declarations = (style: string): [string, string][] =>
  style.split(';').flatMap((declaration) => {
    const at = declaration.indexOf(':')
    return at > 0 ? [[declaration.slice(0, at).trim(), declaration.slice(at + 1).trim()]] : []
  })
