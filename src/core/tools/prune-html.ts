/** Limits of a page: a parser needs memory for each element, and time for each nesting level. */
const max = { elements: 50_000, depth: 200, tagCharacters: 16_384, characters: 6_000_000 }

const voidElements = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)
/** Elements whose end tag is often left out, so they are not counted as levels; each ends with the next one of its kind. */
const selfEnding = new Set('colgroup dd dt li optgroup option p tbody td tfoot th thead tr'.split(' '))
/** Elements that are removed, since HTML lets a page leave them out but the parser does not; the caller puts the rest into a frame of its own. */
const frame = new Set(['html', 'head', 'body'])
/** Elements whose content is not text of the page. Machine-readable data stays if its end tag exists. */
const dropped = ['script', 'style', 'svg', 'noscript', 'template', 'iframe', 'textarea']

/**
 * Returns HTML that is safe to parse, in one pass: without scripts and their like, without comments, and without tags that are too long or nested too
 * deep; the text between them is kept. `cut` says that the page had more elements or characters than are read.
 */
export function pruneHtml(html: string): { html: string; elements: number; cut: boolean } {
  const pieces: string[] = []
  let depth = 0
  let elements = 0
  let size = 0
  let position = 0
  while (position < html.length) {
    const tag = nextTag(html, position)
    const text = html.slice(position, tag.start)
    // A `<` that begins no tag costs the parser as much as a tag.
    elements += countOf('<', text, max.elements + 1)
    if (elements > max.elements) return { html: pieces.join(''), elements, cut: true }
    pieces.push(text.slice(0, max.characters - size))
    size += text.length
    if (size > max.characters) return { html: pieces.join(''), elements, cut: true }
    position = tag.end
    if (tag.name === '' || frame.has(tag.name)) continue
    if (!tag.closes && dropped.includes(tag.name) && !isData(html, tag)) {
      position = endOf(html, tag.name, tag.end)
      continue
    }
    const level = voidElements.has(tag.name) || selfEnding.has(tag.name) ? 0 : tag.closes ? -1 : 1
    const within = depth + Math.max(level, 0) <= max.depth && tag.end - tag.start <= max.tagCharacters
    depth = Math.max(0, depth + level)
    if (!within) continue
    if (!tag.closes) elements += 1
    pieces.push(html.slice(tag.start, tag.end))
    size += tag.end - tag.start
  }
  return { html: pieces.join(''), elements, cut: false }
}

/** How often a sign occurs in a text, counted up to `enough`: a page may consist of nothing else. */
function countOf(sign: string, text: string, enough: number): number {
  let count = 0
  for (let at = text.indexOf(sign); at !== -1 && count < enough; at = text.indexOf(sign, at + 1)) count += 1
  return count
}

interface Tag {
  start: number
  end: number
  /** The name in lower case; empty for a comment, a declaration and the end of the text. */
  name: string
  closes: boolean
}

const tagStart = /<(?:!|\?|(\/?)([a-z][^\s/>]{0,63}))/gi

function nextTag(html: string, from: number): Tag {
  tagStart.lastIndex = from
  const match = tagStart.exec(html)
  const nothing = { start: html.length, end: html.length, name: '', closes: false }
  if (!match) return nothing
  const [text, slash, name = ''] = match
  const start = match.index
  const isComment = html.startsWith('<!--', start)
  const end = html.indexOf(isComment ? '-->' : '>', start + text.length)
  // Nothing after an open tag or comment is a tag either.
  if (end === -1) return { ...nothing, start: isComment ? start : html.length }
  return { start, end: end + (isComment ? 3 : 1), name: name.toLowerCase(), closes: slash === '/' }
}

const isData = (html: string, { name, start, end }: Tag): boolean =>
  name === 'script' && end - start < 200 && html.slice(start, end).includes('application/ld+json')

/** The position after the end tag; the end of the text where there is none, as in browsers. */
function endOf(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}[^<>]*>`, 'gi')
  close.lastIndex = from
  return close.exec(html) ? close.lastIndex : html.length
}
