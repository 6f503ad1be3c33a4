/** A part of a text that can be found and cited by itself. */
export interface Passage {
  /** The headings over it, outermost first. */
  heading: string | undefined
  text: string
}

/** In characters. A passage ends with its paragraph once it has `enough`, and never has more than `most`. */
const enough = 1_000
const most = 1_500
const longestPiece = 1_250
/** Of the passage before, repeated at the beginning of the next, so that nothing is lost at a border. */
const longestOverlap = 200

/** Cuts a text (Markdown, or plain) at its headings, paragraphs and sentences; passages of one section overlap. */
export function passagesOf(text: string): Passage[] {
  const passages: Passage[] = []
  const headings: string[] = []
  let open = ''
  const close = (): void => {
    if (open.trim() !== '')
      passages.push({ heading: headings.filter(Boolean).join(' › ') || undefined, text: open.trim() })
    open = ''
  }
  for (const block of blocksOf(text)) {
    const heading = /^(#{1,6})\s+(\S.*)$/.exec(block)
    if (heading) {
      close()
      headings.length = heading[1]!.length - 1
      headings[heading[1]!.length - 1] = heading[2]!
        .replace(/(?<!#)#+$/, '')
        .trimEnd()
        .slice(0, 200)
      continue
    }
    for (const piece of piecesOf(block)) {
      if (open !== '' && (open.length >= enough || open.length + piece.length + 2 > most)) {
        const tail = overlapOf(open)
        close()
        open = tail
      }
      open = open === '' ? piece : `${open}\n\n${piece}`
    }
  }
  close()
  return passages
}

/** Paragraphs, and headings by themselves. */
const blocksOf = (text: string): string[] =>
  text
    .replace(/^#{1,6}\s.*$/gm, '\n$&\n')
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    .filter((block) => block !== '')

const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?؟…؛][»”"')\]]{0,2})\s+|\n+/)

/** A paragraph, or where it is too long runs of its sentences. */
function piecesOf(block: string): string[] {
  if (block.length <= longestPiece) return [block]
  const pieces: string[] = []
  for (const sentence of sentencesOf(block).flatMap(cut)) {
    const last = pieces.at(-1)
    if (last !== undefined && last.length + sentence.length + 1 <= longestPiece)
      pieces[pieces.length - 1] = `${last} ${sentence}`
    else pieces.push(sentence)
  }
  return pieces
}

/** A sentence without end is cut between words, or anywhere. */
function cut(sentence: string): string[] {
  const parts: string[] = []
  let rest = sentence
  while (rest.length > longestPiece) {
    const space = rest.lastIndexOf(' ', longestPiece)
    const end = space > longestPiece / 2 ? space : wholeCharacters(rest, longestPiece)
    parts.push(rest.slice(0, end).trim())
    rest = rest.slice(end).trim()
  }
  return rest === '' ? parts : [...parts, rest]
}

/** Not between the halves of one character. */
const wholeCharacters = (text: string, end: number): number =>
  /[\ud800-\udbff]/.test(text[end - 1]!) ? end - 1 : end

/** The last sentences, if they are short; nothing of a longer one. */
function overlapOf(text: string): string {
  let overlap = ''
  for (const sentence of sentencesOf(text.slice(-2 * longestOverlap))
    .slice(1)
    .reverse()) {
    if (overlap.length + sentence.length + 1 > longestOverlap) break
    overlap = overlap === '' ? sentence : `${sentence} ${overlap}`
  }
  return overlap
}
