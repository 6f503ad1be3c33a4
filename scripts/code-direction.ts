/**
 * Marks of direction around the inline code of a Persian page. A renderer that does not isolate code shows what begins or ends in a sign turned
 * over: `./data` as `data/.`. The marks stand outside the backticks, so that a copy of the code has none.
 */

/** Code that needs no mark: its first letter says the direction, and what follows takes it. */
const steady = /^(?:[A-Za-z].*)?[A-Za-z\d]$|^[A-Za-z\d]+$|^\d+\.\d+$/s
const persianLetter = /[\u0620-\u064a\u066e-\u06d3]/
const persianOnly =
  /^[\u0620-\u064a\u066e-\u06d3]$|^[\u0620-\u064a\u066e-\u06d3].*[\u0620-\u064a\u066e-\u06d3]$/s
const span = /([\u200e\u200f\u2066]*)`([^`]+)`([\u200e\u2069]*)/g

/** The page with U+200E on both sides of such code, and with U+2066 and U+2069 around code that has Persian letters. */
export function withDirections(page: string): string {
  let inside = false
  let block: string[] = []
  const written: string[] = []
  const close = (): void => {
    if (block.length > 0) written.push(markedBlock(block.join('\n')))
    block = []
  }
  for (const line of page.split('\n')) {
    const isFence = line.trimStart().startsWith('```')
    if (isFence) inside = !inside
    if (!isFence && !inside && line.trim() !== '') block.push(line)
    else {
      close()
      written.push(line)
    }
  }
  close()
  return written.join('\n')
}

/** Code may begin in one line of a paragraph and end in the next. */
const markedBlock = (block: string): string =>
  block.replace(span, (whole: string, before: string, code: string, _after: string, at: number) => {
    const marks = marksOf(code)
    if (marks === undefined) return whole
    const rest = block.slice(at + whole.length)
    const rightToLeft = before.includes('\u200f') || beginsPersian(block.slice(0, at), rest)
    return `${rightToLeft ? '\u200f' : ''}${marks[0]}\`${code}\`${marks[1]}`
  })

function marksOf(code: string): readonly [string, string] | undefined {
  if (/[\u0600-\u06ff]/.test(code)) return persianOnly.test(code) ? undefined : ['\u2066', '\u2069']
  return steady.test(code) ? undefined : ['\u200e', '\u200e']
}

/** Whether a Persian text begins here, whose direction renderers read from its first letter or mark: a line of a list, a paragraph, a cell. */
function beginsPersian(before: string, after: string): boolean {
  const line = before.slice(before.lastIndexOf('\n') + 1)
  if (line.trimStart().startsWith('|'))
    return /(?<!\\)\|\s*$/.test(line) && persianLetter.test(/^(?:\\\||[^|\n])*/.exec(after)![0])
  const begins = /^\s*(?:[-*]|\d+\.|#+|>)\s+$/.test(line) || before.trim() === ''
  return begins && persianLetter.test(after.split('\n')[0]!)
}

const persianBefore = '(?<=(?:^|[\\u0600-\\u06ff])[^\\p{L}\\d\\u200e\\u2066]*)'
const bare = new RegExp(
  [
    // Figures take the direction of the Persian letters before them.
    `${persianBefore}(?:\\d+\\^\\d+|\\d{4}-\\d\\d-\\d\\d)`,
    `${persianBefore}(?:[/@<{~.]|--)["\\w][!-~]*`,
    '[A-Za-z\\d<][!-~]*[/>](?=[^\\p{L}\\d\\u200e]*(?:[\\u0600-\\u06ff]|$))',
  ].join('|'),
  'gmu',
)

/** What in a Persian text is shown turned over, because it begins or ends in a sign and is neither code nor marked. */
export const turnedIn = (text: string): string[] =>
  text
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/\]\([^()\s]*\)/g, ']')
    .match(bare) ?? []
