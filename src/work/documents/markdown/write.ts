import type { DocumentBlock, Inline, TableBlock, TextDocument, TextRun } from '../model.ts'
import { joinedNames, longDate, pagePhrases } from '../phrases.ts'

/** The document as Markdown that `documentFromMarkdown` and any reader of GFM reads back. */
export function toMarkdown(document: TextDocument): string {
  const words = pagePhrases[document.language]
  const parts = [
    `# ${escaped(document.title)}`,
    ...(document.subtitle ? [`*${escaped(document.subtitle)}*`] : []),
    ...(byline(document) ? [byline(document)] : []),
    ...document.blocks.map((block) => writeBlock(block, document)),
    ...writeSources(document, words.sources),
    ...writeNotes(document),
  ]
  return `${parts.join('\n\n')}\n`
}

function byline({ authors, dateMs, language }: TextDocument): string {
  const parts = [
    ...(authors?.length ? [joinedNames(language, authors)] : []),
    ...(dateMs === undefined ? [] : [longDate(language, dateMs)]),
  ]
  return escaped(parts.join(' — '))
}

function writeBlock(block: DocumentBlock, document: TextDocument): string {
  switch (block.type) {
    case 'heading':
      return `${'#'.repeat(Math.min(6, block.level + 1))} ${writeInline(block.content).replaceAll('\\\n', ' ')}`
    case 'paragraph':
      return escapedLineStarts(writeInline(block.content))
    case 'list':
      return block.items
        .map((item, index) => {
          const marker = block.ordered ? `${(block.start ?? 1) + index}. ` : '- '
          const text = item.map((inner) => writeBlock(inner, document)).join('\n\n')
          return marker + text.replaceAll(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length)}`)
        })
        .join('\n')
    case 'table':
      return writeTable(block)
    case 'quote':
      return block.blocks
        .map((inner) => writeBlock(inner, document))
        .join('\n\n')
        .replaceAll(/^/gm, '> ')
        .replaceAll(/^> $/gm, '>')
    case 'code': {
      const fence = '`'.repeat(Math.max(3, maxRun(block.text) + 1))
      return `${fence}${block.language ?? ''}\n${block.text}\n${fence}`
    }
    case 'image': {
      const caption = block.caption ? ` "${block.caption.replaceAll('"', '”')}"` : ''
      return `![${escaped(block.alt)}](${target(block.path)}${caption})`
    }
    case 'rule':
      return '---'
    case 'page-break':
      return '<!-- pagebreak -->'
  }
}

function writeTable({ header, rows, align, caption }: TableBlock): string {
  const line = (cells: readonly Inline[][]) =>
    `| ${header.map((_, column) => cell(cells[column] ?? [])).join(' | ')} |`
  const sides = header.map((_, column) => {
    const side = align?.[column] ?? 'start'
    return side === 'center' ? ':---:' : side === 'end' ? '---:' : '---'
  })
  const table = [line(header), `| ${sides.join(' | ')} |`, ...rows.map(line)].join('\n')
  return caption ? `${table}\n\n*${escaped(caption)}*` : table
}

const cell = (content: Inline[]): string =>
  writeInline(content.flatMap(splitCodeAtBars))
    .replaceAll('\\\n', '<br>')
    .replaceAll('\n', ' ')
    .replaceAll('|', '\\|')

/** Splits code in a table between a backslash and a bar: the backslash would be taken as the mark that escapes the bar. */
const splitCodeAtBars = (run: Inline): Inline[] =>
  run.type === 'text' && run.code ? run.text.split(/(?<=\\)(?=\|)/).map((text) => ({ ...run, text })) : [run]

function writeSources({ sources, language }: TextDocument, heading: string): string[] {
  if (!sources?.length) return []
  const entries = sources.map((source, index) => {
    const title = source.url ? `[${escaped(source.title)}](${target(source.url)})` : escaped(source.title)
    const parts = [
      ...(source.authors ? [escaped(source.authors)] : []),
      title,
      ...(source.date ? [escaped(source.date)] : []),
    ]
    return `${index + 1}. ${joinedNames(language, parts)}`
  })
  return [`## ${heading}`, entries.join('\n')]
}

const writeNotes = ({ footnotes }: TextDocument): string[] =>
  Object.entries(footnotes ?? {}).map(
    ([id, content]) => `[^${id}]: ${writeInline(content).replaceAll('\n', '\n    ')}`,
  )

const isMark = (character: string | undefined): boolean =>
  character !== undefined && '*~_`'.includes(character)

function writeInline(content: readonly Inline[]): string {
  const runs: string[] = []
  let before = ''
  for (const inline of content) {
    const next = writeRun(inline)
    // Marks that touch would become one; an invisible comment keeps them apart.
    runs.push(isMark(before.at(-1)) && isMark(next[0]) ? `<!-- -->${next}` : next)
    before = next || before
  }
  return runs.join('')
}

function writeRun(inline: Inline): string {
  switch (inline.type) {
    case 'break':
      return '\\\n'
    case 'footnote':
      return `[^${inline.id}]`
    case 'citation':
      return `[${inline.number}]`
    case 'text':
      return writeText(inline)
  }
}

/** Writes white space outside of the marks, since marks next to white space have no effect. */
function writeText(run: TextRun): string {
  const inner = run.text.trim()
  if (inner === '') return run.text.replaceAll('\n', ' ')
  const before = run.text.slice(0, run.text.length - run.text.trimStart().length)
  const after = run.text.slice(run.text.trimEnd().length)
  let text = run.code ? writeCode(inner) : escaped(inner)
  if (run.strike) text = `~~${text}~~`
  if (run.italic) text = `*${text}*`
  if (run.bold) text = `**${text}**`
  if (run.link) text = run.link === run.text ? `<${run.link}>` : `[${text}](${target(run.link)})`
  return `${before}${text}${after}`.replaceAll('\n', ' ')
}

const target = (address: string): string =>
  /^[^\s()<>\\]+$/.test(address) ? address : `<${address.replace(/[<>\\\n]/g, encodeURIComponent)}>`

function writeCode(code: string): string {
  const fence = '`'.repeat(maxRun(code) + 1)
  const room = code.startsWith('`') || code.endsWith('`') ? ' ' : ''
  return `${fence}${room}${code}${room}${fence}`
}

const maxRun = (text: string): number => Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))

/** Escapes a text. `_` inside words needs no backslash, and neither does `&` that begins no entity. */
const escaped = (text: string): string =>
  text
    .replace(/[\\`*[\]<~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#?\w{1,10};)/gu, '\\$&')
    .replaceAll('\n', ' ')

/** Escapes what would begin a heading, a list or a quotation at the start of a line. */
const escapedLineStarts = (text: string): string =>
  text.replace(
    /^( *)(#{1,6}(?=\s|$)|[-+•>](?=)|[-=]+$|[\d۰-۹٠-٩]{1,9}[.)](?=\s|$))/gmu,
    (_, indent, mark) => {
      const last = mark.length - 1
      return /^[\d۰-۹٠-٩]/.test(mark)
        ? `${indent}${mark.slice(0, last)}\\${mark[last]}`
        : `${indent}\\${mark}`
    },
  )
