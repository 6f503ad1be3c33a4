/** The part of the DOM that is used here; it has no types outside browsers. */
export interface Element {
  nodeType: number
  localName?: string
  textContent: string | null
  childNodes: Iterable<Element>
  getAttribute?(name: string): string | null
}

const elementNode = 1
const textNode = 3

/** Maximum nesting; deeper content becomes plain text. */
const deepest = 150

const blocks = new Set(
  'address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main nav ol p pre section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)
const silent = new Set(
  'script style noscript template iframe object embed svg canvas head button input select textarea'.split(
    ' ',
  ),
)

/** Markdown of an element: headings, lists, tables, quotations, code and links; emphasis and pictures are left out, alternative texts are kept. */
export const toMarkdown = (root: Element, base: string): string => blocksIn(root, { base, depth: 0 })

interface Where {
  /** The address to which links are relative. */
  base: string
  depth: number
}

/** Everything in an element as paragraphs. Text that stands between blocks is a paragraph of its own. */
function blocksIn(element: Element, where: Where): string {
  if (where.depth > deepest) return squeeze(element.textContent ?? '').trim()
  const inner = { ...where, depth: where.depth + 1 }
  const paragraphs: string[] = []
  let line = ''
  const flush = () => {
    const text = tidyLine(line)
    if (text !== '') paragraphs.push(text)
    line = ''
  }
  for (const child of element.childNodes) {
    if (!isBlock(child)) {
      line += inlineOf(child, inner)
      continue
    }
    flush()
    const text = blockOf(child, inner)
    if (text.trim() !== '') paragraphs.push(text)
  }
  flush()
  return paragraphs.join('\n\n')
}

function blockOf(element: Element, where: Where): string {
  const name = nameOf(element)
  if (/^h[1-6]$/.test(name)) {
    const text = oneLine(element, where)
    return text && `${'#'.repeat(Number(name[1]))} ${text}`
  }
  switch (name) {
    case 'ul':
    case 'ol':
      return listOf(element, where)
    case 'table':
      return tableOf(element, where)
    case 'blockquote':
      return blocksIn(element, where).replace(/^/gm, '> ')
    case 'pre':
      return `\`\`\`\n${(element.textContent ?? '').replace(/(?<!\n)\n+$/, '')}\n\`\`\``
    case 'hr':
      return '---'
    default:
      return blocksIn(element, where)
  }
}

/** The line of an inline node, in which blocks inside of it have become spaces. */
function inlineOf(node: Element, where: Where): string {
  if (node.nodeType === textNode) return squeeze(node.textContent ?? '')
  if (node.nodeType !== elementNode || silent.has(nameOf(node))) return ''
  if (where.depth > deepest) return squeeze(node.textContent ?? '')
  switch (nameOf(node)) {
    case 'br':
      return '\n'
    case 'img':
      return squeeze(node.getAttribute!('alt') ?? '')
    case 'a':
      return linkOf(node, where)
    case 'code':
    case 'kbd':
    case 'samp': {
      const text = squeeze(node.textContent ?? '')
      return text.trim() && `\`${text.trim()}\``
    }
    default:
      return innerLine(node, where)
  }
}

function innerLine(element: Element, where: Where): string {
  const inner = { ...where, depth: where.depth + 1 }
  let line = ''
  for (const child of element.childNodes)
    line += isBlock(child) ? ` ${innerLine(child, inner)} ` : inlineOf(child, inner)
  return line
}

/** The Markdown of a link, which keeps its address if it leads to the web and not to a place on the same page. */
function linkOf(element: Element, where: Where): string {
  const text = innerLine(element, where)
  const href = element.getAttribute!('href')?.trim() ?? ''
  const url = href === '' || href.startsWith('#') ? null : URL.parse(href, where.base)
  if (text.trim() === '' || !url || !/^https?:$/.test(url.protocol) || url.href.length > 500) return text
  return `[${text.replace(/\s+/g, ' ').trim()}](${url.href.replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'))})`
}

function listOf(element: Element, where: Where): string {
  const ordered = nameOf(element) === 'ol'
  const items: string[] = []
  for (const child of element.childNodes) {
    if (child.nodeType !== elementNode) continue
    const text = blocksIn(child, { ...where, depth: where.depth + 1 })
    if (text === '') continue
    const mark = ordered ? `${items.length + 1}. ` : '- '
    items.push(
      mark + text.replace(/\n+/g, (lines) => `${lines.length > 1 ? '\n' : lines}${' '.repeat(mark.length)}`),
    )
  }
  return items.join('\n')
}

/** A table whose rows have several cells; a table that only serves the layout is read as paragraphs. */
function tableOf(element: Element, where: Where): string {
  const rows = rowsOf(element, where.depth).map((row) => cellsOf(row))
  const width = rows.reduce((max, row) => Math.max(max, row.length), 0)
  const places = rows.some((row) => row.some((cell) => holdsTable(cell, where.depth)))
  if (width < 2 || rows.length < 2 || places) return blocksIn(element, where)
  const lines = rows
    .map((row) => row.map((cell) => oneLine(cell, where).replaceAll('|', '\\|')))
    .map((row) => `| ${[...row, ...Array<string>(width - row.length).fill('')].join(' | ')} |`)
  return [lines[0], `|${' --- |'.repeat(width)}`, ...lines.slice(1)].join('\n')
}

const rowsOf = (element: Element, depth: number): Element[] =>
  depth > deepest
    ? []
    : [...element.childNodes].flatMap((child) =>
        nameOf(child) === 'tr'
          ? [child]
          : /^(?:thead|tbody|tfoot)$/.test(nameOf(child))
            ? rowsOf(child, depth + 1)
            : [],
      )

const cellsOf = (row: Element): Element[] =>
  [...row.childNodes].filter((child) => nameOf(child) === 'td' || nameOf(child) === 'th')

const holdsTable = (element: Element, depth: number): boolean =>
  depth > deepest ||
  [...element.childNodes].some(
    (child) => nameOf(child) === 'table' || (child.nodeType === elementNode && holdsTable(child, depth + 1)),
  )

const oneLine = (element: Element, where: Where): string =>
  innerLine(element, where).replace(/\s+/g, ' ').trim()

/** The name in lower case: elements made by scripts keep the case that they were made with. */
const nameOf = (node: Element): string => node.localName?.toLowerCase() ?? ''

const isBlock = (node: Element): boolean => node.nodeType === elementNode && blocks.has(nameOf(node))

/** Makes runs of space one space, as browsers do; the no-break space is a space too, the joiners of Persian are none. */
const squeeze = (text: string): string => text.replace(/[ \t\n\r\f\u00a0]+/g, ' ')

const tidyLine = (line: string): string =>
  line
    .replace(/ {2,}/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim()
