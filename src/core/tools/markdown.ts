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
const omittedElements = new Set(
  'script style noscript template iframe object embed svg canvas head button input select textarea'.split(
    ' ',
  ),
)

/** Markdown of an element: headings, lists, tables, quotations, code and links; emphasis and pictures are left out, alternative texts are kept. */
export const toMarkdown = (root: Element, base: string): string => blocksIn(root, { base, depth: 0 })

interface MarkdownContext {
  /** The address to which links are relative. */
  base: string
  depth: number
}

/** Everything in an element as paragraphs. Text that stands between blocks is a paragraph of its own. */
function blocksIn(element: Element, context: MarkdownContext): string {
  if (context.depth > deepest) return squeeze(element.textContent ?? '').trim()
  const inner = { ...context, depth: context.depth + 1 }
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

function blockOf(element: Element, context: MarkdownContext): string {
  const name = nameOf(element)
  if (/^h[1-6]$/.test(name)) {
    const text = oneLine(element, context)
    return text && `${'#'.repeat(Number(name[1]))} ${text}`
  }
  switch (name) {
    case 'ul':
    case 'ol':
      return listOf(element, context)
    case 'table':
      return tableOf(element, context)
    case 'blockquote':
      return blocksIn(element, context).replace(/^/gm, '> ')
    case 'pre':
      return `\`\`\`\n${(element.textContent ?? '').replace(/(?<!\n)\n+$/, '')}\n\`\`\``
    case 'hr':
      return '---'
    default:
      return blocksIn(element, context)
  }
}

/** The line of an inline node, in which blocks inside of it have become spaces. */
function inlineOf(node: Element, context: MarkdownContext): string {
  if (node.nodeType === textNode) return squeeze(node.textContent ?? '')
  if (node.nodeType !== elementNode || omittedElements.has(nameOf(node))) return ''
  if (context.depth > deepest) return squeeze(node.textContent ?? '')
  switch (nameOf(node)) {
    case 'br':
      return '\n'
    case 'img':
      return squeeze(node.getAttribute!('alt') ?? '')
    case 'a':
      return linkOf(node, context)
    case 'code':
    case 'kbd':
    case 'samp': {
      const text = squeeze(node.textContent ?? '')
      return text.trim() && `\`${text.trim()}\``
    }
    default:
      return innerLine(node, context)
  }
}

function innerLine(element: Element, context: MarkdownContext): string {
  const inner = { ...context, depth: context.depth + 1 }
  let line = ''
  for (const child of element.childNodes)
    line += isBlock(child) ? ` ${innerLine(child, inner)} ` : inlineOf(child, inner)
  return line
}

/** The Markdown of a link, which keeps its address if it leads to the web and not to a place on the same page. */
function linkOf(element: Element, context: MarkdownContext): string {
  const text = innerLine(element, context)
  const href = element.getAttribute!('href')?.trim() ?? ''
  const url = href === '' || href.startsWith('#') ? null : URL.parse(href, context.base)
  if (text.trim() === '' || !url || !/^https?:$/.test(url.protocol) || url.href.length > 500) return text
  return `[${text.replace(/\s+/g, ' ').trim()}](${url.href.replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'))})`
}

function listOf(element: Element, context: MarkdownContext): string {
  const ordered = nameOf(element) === 'ol'
  const items: string[] = []
  for (const child of element.childNodes) {
    if (child.nodeType !== elementNode) continue
    const text = blocksIn(child, { ...context, depth: context.depth + 1 })
    if (text === '') continue
    const mark = ordered ? `${items.length + 1}. ` : '- '
    items.push(
      mark + text.replace(/\n+/g, (lines) => `${lines.length > 1 ? '\n' : lines}${' '.repeat(mark.length)}`),
    )
  }
  return items.join('\n')
}

/** A table whose rows have several cells; a table that only serves the layout is read as paragraphs. */
function tableOf(element: Element, context: MarkdownContext): string {
  const rows = rowsOf(element, context.depth).map((row) => cellsOf(row))
  const width = rows.reduce((max, row) => Math.max(max, row.length), 0)
  const places = rows.some((row) => row.some((cell) => holdsTable(cell, context.depth)))
  if (width < 2 || rows.length < 2 || places) return blocksIn(element, context)
  const lines = rows
    .map((row) => row.map((cell) => oneLine(cell, context).replaceAll('|', '\\|')))
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

const oneLine = (element: Element, context: MarkdownContext): string =>
  innerLine(element, context).replace(/\s+/g, ' ').trim()

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
