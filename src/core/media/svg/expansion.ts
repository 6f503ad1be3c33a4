/** Bounds how many elements a drawing has once every reference is replaced by what it refers to. */
import { type SvgElement, SvgError } from './parse.ts'
import { referenceOf } from './style.ts'

const maxExpanded = 500_000
/** References are followed recursively; usual drawings have fewer than ten within each other. */
const maxNested = 1_000

/** Properties that every shape inherits from its group. */
const inherited = new Set(['fill', 'stroke', 'marker-start', 'marker-mid', 'marker-end'])

/** Throws `SvgError` (`expansion`) for too many elements, and for an element that refers to itself. The tree must be clean, with unique ids. */
export function checkExpansion(root: SvgElement): void {
  const drawing: Drawing = { byId: new Map(), hasMarkers: false }
  index(root, drawing)
  const known = new Map<SvgElement, number>()
  const underWay = new Set<SvgElement>()
  const count = (element: SvgElement): number => {
    const before = known.get(element)
    if (before !== undefined) return before
    if (underWay.has(element) || underWay.size > maxNested) throw new SvgError('expansion')
    underWay.add(element)
    const { attributes, children } = element
    let shapes = 1 + (drawing.hasMarkers ? pointsOf(element) : 0)
    for (const child of children) if (typeof child !== 'string') shapes += count(child)
    const used = drawing.byId.get(attributes.get('href')?.slice(1) ?? '')
    if (used) shapes += count(used)
    let total = shapes
    for (const [name, value] of attributes) {
      const target = drawing.byId.get(referenceOf(value) ?? '')
      if (target) total += count(target) * (inherited.has(name) ? shapes : 1)
    }
    if (total > maxExpanded) throw new SvgError('expansion')
    underWay.delete(element)
    known.set(element, total)
    return total
  }
  count(root)
}

interface Drawing {
  byId: Map<string, SvgElement>
  hasMarkers: boolean
}

function index(element: SvgElement, drawing: Drawing): void {
  const id = element.attributes.get('id')
  if (id !== undefined) drawing.byId.set(id, element)
  drawing.hasMarkers ||= element.name === 'marker'
  for (const child of element.children) if (typeof child !== 'string') index(child, drawing)
}

/** The most points of a line: a marker is drawn at each point, and a point takes at least two characters. */
const pointsOf = ({ attributes }: SvgElement): number =>
  Math.ceil((attributes.get('d') ?? attributes.get('points') ?? '').length / 2)
