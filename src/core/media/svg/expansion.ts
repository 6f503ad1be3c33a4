/** How many elements a drawing becomes once everything that refers is replaced by what it refers to. */
import { type SvgElement, SvgRefused } from './parse.ts'
import { referenceOf } from './style.ts'

const maxExpanded = 500_000
/** Following references is recursive; drawings of people stay below ten. */
const maxNested = 1_000

/** What a group says of these counts for every shape in it. */
const inherited = new Set(['fill', 'stroke', 'marker-start', 'marker-mid', 'marker-end'])

/** Throws `SvgRefused` expansion for too many, and for what refers to itself. The tree is a clean one, its ids are unique. */
export function checkExpansion(root: SvgElement): void {
  const drawing: Drawing = { byId: new Map(), hasMarkers: false }
  index(root, drawing)
  const known = new Map<SvgElement, number>()
  const underWay = new Set<SvgElement>()
  const count = (element: SvgElement): number => {
    const before = known.get(element)
    if (before !== undefined) return before
    if (underWay.has(element) || underWay.size > maxNested) throw new SvgRefused('expansion')
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
    if (total > maxExpanded) throw new SvgRefused('expansion')
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

/** A marker is drawn at each point of its line, and a point takes at least two characters. */
const pointsOf = ({ attributes }: SvgElement): number =>
  Math.ceil((attributes.get('d') ?? attributes.get('points') ?? '').length / 2)
