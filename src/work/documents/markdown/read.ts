import { normaliseHeadingLevels } from '../levels.ts'
import { type DocumentBlock, type Inline, plainText, type TextDocument } from '../model.ts'
import { pagePhrases } from '../phrases.ts'
import { readBlocks } from './blocks.ts'
import { normalisedLabel, type References, readInline } from './inline.ts'
import { closesFence, dedent, type Fence, fenceOf, indentOf, isBlank } from './lines.ts'

/** Metadata that Markdown does not contain. Without a title, the first heading becomes the title. */
export type MarkdownMeta = Omit<TextDocument, 'title' | 'blocks' | 'footnotes'> & { title?: string }

/** The most bytes of one text. */
export const maxMarkdownBytes = 4 * 1024 * 1024

/**
 * Reads Markdown as models write it: CommonMark without HTML and indented code, with GFM's tables, footnotes and task lists, Persian digits in
 * numbered lists, `\newpage`, and `[3]` as a citation if the document has a third source. Any text can be read; only one longer than
 * `maxMarkdownBytes` throws a RangeError.
 */
export function documentFromMarkdown(markdown: string, meta: MarkdownMeta): TextDocument {
  if (Buffer.byteLength(markdown) > maxMarkdownBytes)
    throw new RangeError(`A document has at most ${maxMarkdownBytes} bytes of Markdown.`)
  const { lines, links, notes } = extractDefinitions(linesOf(markdown))
  const references: References = {
    links,
    footnotes: new Set(notes.keys()),
    sources: meta.sources?.length ?? 0,
  }
  const { title, blocks } = splitTitle(readBlocks(lines, references), meta.title)
  const footnotes = Object.fromEntries(
    [...notes].map(([name, text]) => [name, withoutNotes(readInline(text, references))]),
  )
  return {
    ...meta,
    title: title || pagePhrases[meta.language].untitled,
    blocks: normaliseHeadingLevels(meta.numberedHeadings ? withoutNumbers(blocks) : blocks),
    ...(notes.size > 0 && { footnotes }),
  }
}

const linesOf = (markdown: string): string[] =>
  markdown
    .replace(/^\ufeff/, '')
    .split(/\r\n?|\n/)
    .map((line) => line.replace(/^[ \t]+/, (indent) => indent.replaceAll('\t', '    ')))

interface Definitions {
  lines: string[]
  links: Map<string, string>
  notes: Map<string, string>
}

const noteDefinition = /^ {0,3}\[\^([^\]\s]{1,100})\]:(.*)$/
/** The definition of a link. Only addresses that can be a link match, so that no sentence after a bracket and a colon is lost. */
const linkDefinition =
  /^ {0,3}\[([^\]^[][^\][]{0,200})\]:\s{0,9}<?((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>?(?:\s{1,9}(?:["'(][\s\S]*)?)?$/i

/** Takes `[^note]: text` with its indented lines, and `[name]: address`, out of the text, except for such lines in code. */
function extractDefinitions(all: readonly string[]): Definitions {
  const found: Definitions = { lines: [], links: new Map(), notes: new Map() }
  let fence: Fence | undefined
  for (let at = 0; at < all.length; at += 1) {
    const line = all[at]!
    const wasCode = fence
    if (fence) fence = closesFence(line, fence) ? undefined : fence
    else fence = fenceOf(line)
    const note = !(wasCode || fence) && noteDefinition.exec(line)
    const link = !(wasCode || fence) && linkDefinition.exec(line)
    if (note) {
      const end = endOfNote(all, at)
      const text = [note[2]!.trim(), ...all.slice(at + 1, end).map((more) => dedent(more, 4))].join('\n')
      if (!found.notes.has(normalisedLabel(note[1]!))) found.notes.set(normalisedLabel(note[1]!), text.trim())
      at = end - 1
    } else if (link) {
      if (!found.links.has(normalisedLabel(link[1]!))) found.links.set(normalisedLabel(link[1]!), link[2]!)
    } else found.lines.push(line)
  }
  return found
}

function endOfNote(lines: readonly string[], start: number): number {
  let end = start + 1
  while (end < lines.length && !isBlank(lines[end]!) && indentOf(lines[end]!) >= 2) end += 1
  return end
}

const withoutNotes = (content: Inline[]): Inline[] => content.filter((inline) => inline.type !== 'footnote')

/** Removes the first heading if it repeats the title, which is on the title page. */
function splitTitle(
  blocks: DocumentBlock[],
  given: string | undefined,
): { title: string; blocks: DocumentBlock[] } {
  const [first, ...rest] = blocks
  if (first?.type !== 'heading' || first.level !== 1) return { title: given ?? '', blocks }
  const heading = plainText(first.content).trim()
  const same = given === undefined || given.trim() === '' || folded(given) === folded(heading)
  return same ? { title: given?.trim() || heading, blocks: rest } : { title: given, blocks }
}

const folded = (text: string): string => text.replace(/[\s\u200c.:،؛]+/g, '').toLowerCase()

/** The number at the beginning of a heading: `2. `, `۳) `, `۱-۲ `, `1.2.3: `. */
const headingNumber =
  /^\s*(?:[\d۰-۹]{1,3}(?:[.\-–/][\d۰-۹]{1,3}){1,5}[.)\-–:]?\s+|[\d۰-۹]{1,3}\s?[.)\-–:]\s*(?![\d۰-۹]))(?=\S)/

/**
 * Removes numbers from headings, which would be numbered twice. Only if two headings and half of all have one, since a heading may begin with a year.
 */
function withoutNumbers(blocks: DocumentBlock[]): DocumentBlock[] {
  const headings = blocks.filter((block) => block.type === 'heading')
  const counted = headings.filter((heading) => headingNumber.test(plainText(heading.content)))
  if (counted.length < 2 || counted.length * 2 < headings.length) return blocks
  return blocks.map((block) => {
    const first = block.type === 'heading' ? block.content[0] : undefined
    if (block.type !== 'heading' || first?.type !== 'text') return block
    const text = first.text.replace(headingNumber, '')
    return text === '' ? block : { ...block, content: [{ ...first, text }, ...block.content.slice(1)] }
  })
}
