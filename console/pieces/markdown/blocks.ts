/**
 * Where the text of a model may be cut into blocks that can be parsed alone, so that a text that grows is parsed again at its end only. What follows
 * never changes a block before the last two.
 */

export type BlockKind = 'markdown' | 'code' | 'formula'

export interface Block {
  kind: BlockKind
  /** Where it begins and ends in the text, in UTF-16 units. */
  start: number
  end: number
  /** Markdown as it stands; the lines of a code block; the source of a formula without its marks. */
  source: string
  /** The first word after the fence of a code block, else empty. */
  language: string
  /** Its closing mark has not come yet. */
  isOpen: boolean
}

const fenceLine = /^ {0,3}(`{3,}|~{3,})([^`\n]*)$/
const innerFence = /^[ \t]*(?:>[ \t]*|[-*+][ \t]+|\d{1,9}[.)][ \t]+)*(`{3,}|~{3,})/
const listLine = /^ {0,3}(?:[-*+]|\d{1,9}[.)]|\[\^[^\]\n]{1,40}\]:)(?:[ \t]|$)/
const headingLine = /^#{1,6}(?:[ \t]|$)/
const maxFormulaLength = 4_000
/** A list is cut beyond this, in UTF-16 units; its numbers go on. */
const maxListLength = 8_000
/** What stands after so many UTF-16 units is one block, which is beyond its bounds and therefore a plain text. */
const maxReadLength = 300_000
/** No mark of a block stands later in a line, in UTF-16 units. */
const readOfLine = 400

/** The blocks of a text from `from`, which must be the beginning of a block. `isStreaming`: more may come, so that a formula may still be closed. */
export const splitBlocks = (text: string, isStreaming: boolean, from = 0): Block[] =>
  new Splitter(text, isStreaming, from).blocks

class Splitter {
  readonly blocks: Block[] = []
  #start: number
  #isAfterBlank = false
  #isInList = false
  /** The fence of a code block within a list or a quotation. */
  #fence: string | undefined
  readonly #text: string

  constructor(text: string, isStreaming: boolean, from: number) {
    this.#text = text
    this.#start = from
    for (let at = from; at < Math.min(text.length, maxReadLength); ) {
      const end = lineEnd(text, at)
      const line = text.slice(at, Math.min(end, at + readOfLine)).replace(/[\r\n]+$/, '')
      const whole = this.#fence === undefined ? this.#wholeBlockAt(at, line, isStreaming) : undefined
      if (whole) {
        this.#cut(at)
        this.blocks.push(whole)
        at = whole.end
        this.#begin(at)
      } else {
        this.#readLine(at, end, line)
        at = end
      }
    }
    this.#cut(text.length)
  }

  #begin(at: number): void {
    this.#start = at
    this.#isInList = false
    this.#isAfterBlank = false
    this.#fence = undefined
  }

  /** Ends the block that is read, if anything is in it. */
  #cut(at: number): void {
    const source = this.#text.slice(this.#start, at)
    if (source.trim() !== '')
      this.blocks.push({ kind: 'markdown', start: this.#start, end: at, source, language: '', isOpen: false })
    this.#begin(at)
  }

  /** A code block or a formula on lines of its own that begins here; within a list, what is indented belongs to its item. */
  #wholeBlockAt(at: number, line: string, isStreaming: boolean): Block | undefined {
    if (this.#isInList && /^ {2}/.test(line)) return undefined
    return codeAt(this.#text, at, line) ?? formulaAt(this.#text, at, line, isStreaming)
  }

  #readLine(at: number, end: number, line: string): void {
    if (this.#fence !== undefined) {
      if (closesFence(line.replace(/^[ \t>]+/, ''), this.#fence)) this.#fence = undefined
      return
    }
    if (line.trim() === '') {
      this.#isAfterBlank = true
      return
    }
    const isItem = listLine.test(line)
    const isHeading = headingLine.test(line)
    const isLongList = this.#isInList && isItem && !/^[ \t]/.test(line) && at - this.#start >= maxListLength
    if (isHeading || isLongList || (this.#isAfterBlank && !this.#continues(line, isItem))) this.#cut(at)
    this.#isAfterBlank = false
    if (isItem) this.#isInList = true
    if (this.#isInList || line.trimStart().startsWith('>')) this.#fence = innerFence.exec(line)?.[1]
    if (isHeading) this.#cut(end)
  }

  /** Whether a line after an empty one belongs to the list above. */
  #continues(line: string, isItem: boolean): boolean {
    return this.#isInList && (isItem || /^[ \t]/.test(line))
  }
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}

const closesFence = (line: string, fence: string): boolean => {
  const trimmed = line.trim()
  return trimmed.length >= fence.length && trimmed === fence[0]!.repeat(trimmed.length)
}

function codeAt(text: string, start: number, line: string): Block | undefined {
  const [, fence, info] = fenceLine.exec(line) ?? []
  if (fence === undefined) return undefined
  const indent = line.length - line.trimStart().length
  const lines: string[] = []
  let at = lineEnd(text, start)
  let isOpen = true
  while (isOpen && at < text.length) {
    const end = lineEnd(text, at)
    const one = text.slice(at, end).replace(/\r?\n$/, '')
    at = end
    // A line that is four times indented closes nothing.
    if (!/^ {4}/.test(one) && closesFence(one, fence)) isOpen = false
    else lines.push(indent > 0 ? one.replace(new RegExp(`^ {1,${indent}}`), '') : one)
  }
  const language = /^[\w+#.-]{1,30}/.exec(info!.trim())?.[0] ?? ''
  return { kind: 'code', start, end: at, source: lines.join('\n'), language, isOpen }
}

function formulaAt(text: string, start: number, line: string, isStreaming: boolean): Block | undefined {
  const [opening, mark] = /^ {0,3}(\$\$|\\\[)/.exec(line) ?? []
  if (opening === undefined) return undefined
  const from = start + opening.length
  const closing = text.slice(from, from + maxFormulaLength).indexOf(mark === '$$' ? '$$' : '\\]')
  if (closing < 0) {
    if (!isStreaming || text.length - from >= maxFormulaLength) return undefined
    return {
      kind: 'formula',
      start,
      end: text.length,
      source: text.slice(from).trim(),
      language: '',
      isOpen: true,
    }
  }
  const source = text.slice(from, from + closing).trim()
  const end = lineEnd(text, from + closing)
  // A sentence that goes on after the formula is a paragraph.
  const rest = text.slice(from + closing + 2, end)
  if (source === '' || !/^[ \t]*[.,،؛:]?[ \t]*\r?\n?$/.test(rest.slice(0, readOfLine))) return undefined
  return { kind: 'formula', start, end, source, language: '', isOpen: false }
}
