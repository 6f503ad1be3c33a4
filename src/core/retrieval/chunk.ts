/** A part of a text that is indexed and cited separately. */
export interface Passage {
  /** The enclosing headings, outermost first. */
  heading: string | undefined
  text: string
}

/** Lengths in characters. A passage ends with its paragraph once it has `targetCharacters`, and never has more than `maxCharacters`. */
const targetCharacters = 1_000
const maxCharacters = 1_500
const maxPieceLength = 1_250
/** Overlap: characters of a passage that are repeated at the beginning of the next, so that nothing is lost at the boundary. */
const maxOverlap = 200

/** Cuts a text (Markdown, or plain) at its headings, paragraphs and sentences; passages of one section overlap. */
export const passagesOf = (text: string): Passage[] =>
  [...iteratePassages(text)].filter((passage) => passage !== undefined)

/** Yields passages one by one, and `undefined` where the caller should yield to the event loop: two million characters take long. */
export function* iteratePassages(text: string): Generator<Passage | undefined> {
  const headings: string[] = []
  let open = ''
  const closed = (): Passage | undefined => {
    const passage = { heading: headings.filter(Boolean).join(' › ') || undefined, text: open.trim() }
    open = ''
    return passage.text === '' ? undefined : passage
  }
  for (const block of blocksIn(text)) {
    const heading = block && /^(#{1,6})\s+(\S.*)$/.exec(block)
    if (heading) {
      yield closed()
      headings.length = heading[1]!.length - 1
      headings[heading[1]!.length - 1] = heading[2]!
        .replace(/(?<!#)#+$/, '')
        .trimEnd()
        .slice(0, 200)
      continue
    }
    if (block === undefined) yield undefined
    else
      for (const piece of piecesIn(block)) {
        if (piece === undefined) yield undefined
        else if (
          open !== '' &&
          (open.length >= targetCharacters || open.length + piece.length + 2 > maxCharacters)
        ) {
          const tail = overlapOf(open)
          yield closed()
          open = tail
        }
        if (piece !== undefined) open = open === '' ? piece : `${open}\n\n${piece}`
      }
  }
  yield closed()
}

/** How many lines or sentences are read before the event loop is yielded. */
const atOnce = 1_000

/** Yields paragraphs and headings lazily. */
function* blocksIn(text: string): Generator<string | undefined> {
  const blank = /\s*/y
  let start = 0
  let lines = 0
  while (start < text.length) {
    blank.lastIndex = start
    start += blank.exec(text)![0].length
    let at = start
    while (at < text.length) {
      const end = endOfLine(text, at)
      const isHeading = /^#{1,6}\s/.test(text.slice(at, at + 8))
      if (++lines % atOnce === 0) yield undefined
      if (isHeading && at > start) break
      const line = text.slice(at, end)
      at = end + 1
      if (isHeading || line.trim() === '') break
    }
    const block = text.slice(start, at).trim()
    if (block !== '') yield block
    start = at
  }
}

const endOfLine = (text: string, from: number): number => {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

function* sentencesIn(text: string): Generator<string> {
  let start = 0
  for (const { 0: gap, index } of text.matchAll(/(?<=[.!?؟…؛][»”"')\]]{0,2})\s+|\n+/g)) {
    yield text.slice(start, index)
    start = index + gap.length
  }
  yield text.slice(start)
}

/** A paragraph, or groups of its sentences if it is too long. */
function* piecesIn(block: string): Generator<string | undefined> {
  if (block.length <= maxPieceLength) return yield block
  let open: string | undefined
  let sentences = 0
  for (const sentence of sentencesIn(block)) {
    if (++sentences % atOnce === 0) yield undefined
    for (const part of cut(sentence)) {
      if (open !== undefined && open.length + part.length + 1 <= maxPieceLength) open = `${open} ${part}`
      else {
        if (open !== undefined) yield open
        open = part
      }
    }
  }
  if (open !== undefined) yield open
}

/** An overlong sentence is cut between words, or anywhere if it has no spaces. */
function cut(sentence: string): string[] {
  const parts: string[] = []
  let rest = sentence
  while (rest.length > maxPieceLength) {
    const space = rest.lastIndexOf(' ', maxPieceLength)
    const end = space > maxPieceLength / 2 ? space : characterBoundary(rest, maxPieceLength)
    parts.push(rest.slice(0, end).trim())
    rest = rest.slice(end).trim()
  }
  return rest === '' ? parts : [...parts, rest]
}

/** The end, moved so that no surrogate pair is split. */
const characterBoundary = (text: string, end: number): number =>
  /[\ud800-\udbff]/.test(text[end - 1]!) ? end - 1 : end

/** The last sentences that fit into the overlap; a longer sentence is left out. */
function overlapOf(text: string): string {
  let overlap = ''
  for (const sentence of [...sentencesIn(text.slice(-2 * maxOverlap))].slice(1).reverse()) {
    if (overlap.length + sentence.length + 1 > maxOverlap) break
    overlap = overlap === '' ? sentence : `${sentence} ${overlap}`
  }
  return overlap
}
