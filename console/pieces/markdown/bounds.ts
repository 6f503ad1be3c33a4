/**
 * What a block may have so that its parsing is bounded: beyond it the block is shown as plain text. Some marks cost the square of their number
 * (measured: docs/decisions/account/talk-texts.md).
 */

/** UTF-16 units of a block that is parsed. */
const maxBlockLength = 24_000
/** Signs that begin or end a mark. */
const maxMarks = 1_500
/** The same of those that a block of words has seldom. */
const maxRareMarks = 400
/** Each line may begin a block of its own, such as a heading or a row. */
const maxLines = 400
/** Quotations and lists within each other. */
const maxDepth = 30
/** A plain text is shown in parts of this length at most, so that the browser lays out only what is seen. */
const maxPartLength = 8_000

const rare = new Set('[]$<&~!\\')
const common = new Set('*_`|')

/** Whether Markdown may be parsed: not too long, too dense or too deep. */
export function isWithinBounds(source: string): boolean {
  if (source.length > maxBlockLength) return false
  let marks = 0
  let rareMarks = 0
  for (const sign of source) {
    if (rare.has(sign)) rareMarks++
    else if (common.has(sign)) marks++
  }
  if (rareMarks > maxRareMarks || marks > (isTable(source) ? 4 * maxMarks : maxMarks)) return false
  const lines = source.split('\n')
  return lines.length <= maxLines && lines.every((line) => depthOf(line) <= maxDepth)
}

/** A table has a sign between any two cells, which costs no more than a letter. */
const isTable = (source: string): boolean => /^ {0,3}\|/.test(source) && !/[*_`]{8}/.test(source)

/** How many quotations and lists begin at the start of a line; two columns of indentation may be a list that began above. */
function depthOf(line: string): number {
  const head = /^[ \t>*+\-.)\d]*/.exec(line)![0]
  const marks = head.replace(/[^>*+\-.)]/g, '').length
  // A line of hyphens alone is a rule or the border of a table.
  const isRule = head.length === line.length && !head.includes('>') && /^[ \t]*([-*])[ \t\-*]*$/.test(line)
  const indent = /^[ \t]*/.exec(line)![0].length
  return Math.max(isRule ? 0 : marks, Math.floor(indent / 2))
}

/** A text in parts that joined again are the text; it is cut at line ends, else at spaces, where there are some near. */
export function partsOfPlain(text: string): string[] {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + maxPartLength)
    if (end < text.length) {
      const line = text.lastIndexOf('\n', end - 1)
      const space = text.lastIndexOf(' ', end - 1)
      const near = at + maxPartLength / 2
      end = line > near ? line + 1 : space > near ? space + 1 : withoutHalf(text, end)
    }
    parts.push(text.slice(at, end))
    at = end
  }
  return parts
}

/** Never between the halves of a character. */
const withoutHalf = (text: string, end: number): number =>
  /[\ud800-\udbff]/.test(text[end - 1]!) ? end - 1 : end
