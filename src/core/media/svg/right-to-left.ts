/** Right-to-left text for a renderer that knows no `direction`: resvg orders every text from left to right. */
import { parseSvg, type SvgElement } from './parse.ts'
import { svgText } from './written.ts'

const [open, close] = ['\u2067', '\u2069']

interface InheritedText {
  rightToLeft: boolean
  anchor: string
}

/**
 * A clean drawing whose right-to-left texts stand where a browser puts them: in isolates (UAX #9), and anchored at the other end. The result is only
 * for drawing.
 */
export function withIsolates(svg: string): string {
  if (!svg.includes('direction="rtl"')) return svg
  const root = parseSvg(Buffer.from(svg))
  visit(root, { rightToLeft: false, anchor: 'start' })
  return svgText(root)
}

function inheritedBy({ attributes }: SvgElement, from: InheritedText): InheritedText {
  const direction = attributes.get('direction')
  return {
    rightToLeft: direction === undefined ? from.rightToLeft : direction === 'rtl',
    anchor: attributes.get('text-anchor') ?? from.anchor,
  }
}

function visit(element: SvgElement, from: InheritedText): void {
  const own = inheritedBy(element, from)
  if (element.name !== 'text') {
    for (const child of element.children) if (typeof child !== 'string') visit(child, own)
  } else if (own.rightToLeft) {
    turnAnchors(element, own)
    const pieces = piecesOf(element)
    for (const [at, piece] of pieces.entries()) {
      const text = piece.parent.children[piece.at] as string
      const isFirst = piece.starts || at === 0
      const isLast = pieces[at + 1]?.starts ?? true
      piece.parent.children[piece.at] = `${isFirst ? open : ''}${text}${isLast ? close : ''}`
    }
  }
}

const other: Record<string, string> = { start: 'end', end: 'start' }

function turnAnchors(element: SvgElement, { anchor }: InheritedText): void {
  const own = element.attributes.get('text-anchor') ?? (element.name === 'text' ? anchor : undefined)
  if (own !== undefined) element.attributes.set('text-anchor', other[own] ?? own)
  for (const child of element.children)
    if (typeof child !== 'string') turnAnchors(child, { rightToLeft: true, anchor })
}

interface TextNodeRef {
  parent: SvgElement
  /** The index in `parent.children`. */
  at: number
  /** Whether a text chunk begins with this text; each chunk is ordered by itself. */
  starts: boolean
}

function piecesOf(text: SvgElement): TextNodeRef[] {
  const pieces: TextNodeRef[] = []
  let starts = true
  const walk = (parent: SvgElement): void => {
    if (parent.attributes.has('x') || parent.attributes.has('y')) starts = true
    for (const [at, child] of parent.children.entries()) {
      if (typeof child !== 'string') walk(child)
      else if (child.trim() !== '') {
        pieces.push({ parent, at, starts })
        starts = false
      }
    }
  }
  walk(text)
  return pieces
}
