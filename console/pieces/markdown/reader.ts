/** Reads a text that grows: what is finished is kept, and only its last blocks are read again. */
import type { Root } from 'mdast'
import type { Direction } from '../../words/direction.ts'
import { type Block, splitBlocks } from './blocks.ts'
import { directionOfNode, directionWhileWritten, ownDirection } from './directions.ts'
import { parseMarkdown } from './parse.ts'

export interface ReadBlock extends Block {
  /** The same object as long as the block is the same; undefined for code, formulas and blocks beyond their bounds. */
  tree: Root | undefined
  /** Those of the children of the tree, joined by a space, else that of the block. */
  directions: string
}

interface Parsed {
  source: string
  definitions: string
  tree: Root | undefined
  own: (Direction | undefined)[]
}

const maxDefinitions = 200
const definitionLine = /^ {0,3}\[([^\]^\n][^\]\n]{0,80})\]:[ \t]*\S.*$/gm

export class Reader {
  #text = ''
  #isStreaming = false
  #blocks: Block[] = []
  #parsed = new Map<number, Parsed>()

  /** The blocks of the text so far. `first`: the direction of a beginning that has no letters. */
  read(text: string, isStreaming: boolean, first: Direction): ReadBlock[] {
    if (text !== this.#text || isStreaming !== this.#isStreaming) this.#split(text, isStreaming)
    const definitions = definitionsOf(this.#blocks)
    const last = this.#blocks.length - 1
    const parsed = this.#blocks.map((block, at) =>
      this.#parse(block, definitions, isStreaming && at === last),
    )
    this.#parsed = new Map(parsed.map((one, at) => [this.#blocks[at]!.start, one]))
    let before = first
    return this.#blocks.map((block, at) => {
      const { tree, own } = parsed[at]!
      const isWritten = isStreaming && at === last
      const directions = own.map((one, child) => {
        const isLast = isWritten && child === own.length - 1
        before = isLast ? directionWhileWritten(lastSource(block, tree), before) : (one ?? before)
        return before
      })
      return { ...block, tree, directions: directions.join(' ') }
    })
  }

  #split(text: string, isStreaming: boolean): void {
    const grows = isStreaming && this.#isStreaming && text.startsWith(this.#text)
    const kept = grows ? this.#blocks.slice(0, -2) : []
    this.#blocks = [...kept, ...splitBlocks(text, isStreaming, kept.at(-1)?.end ?? 0)]
    this.#text = text
    this.#isStreaming = isStreaming
  }

  #parse({ kind, start, source }: Block, known: ReadonlyMap<string, string>, isWritten: boolean): Parsed {
    if (kind !== 'markdown') return { source, definitions: '', tree: undefined, own: [] }
    const definitions = definitionsFor(source, known)
    const before = this.#parsed.get(start)
    if (before?.source === source && before.definitions === definitions) return before
    if (before?.tree && isWritten && hasLittleMore(source, before.source)) return before
    const tree = parseMarkdown(source, definitions)
    const own = tree ? tree.children.map(directionOfNode) : [ownDirection(source.slice(0, 2_000))]
    return { source, definitions, tree, own }
  }
}

/** A long block that is still written is parsed again when a thirtieth has come, so that all its parses cost what some dozen of the whole cost. */
const hasLittleMore = (source: string, before: string): boolean =>
  source.length > 1_500 && (source.length - before.length) * 30 < source.length && source.startsWith(before)

const lastSource = ({ source }: Block, tree: Root | undefined): string =>
  tree ? source.slice(tree.children.at(-1)?.position?.start.offset ?? 0) : source.slice(0, 2_000)

/** The lines that give addresses to names of links, by their names. */
function definitionsOf(blocks: readonly Block[]): Map<string, string> {
  const found = new Map<string, string>()
  for (const { kind, source } of blocks) {
    if (kind !== 'markdown' || !source.includes(']:')) continue
    for (const [line, name] of source.matchAll(definitionLine))
      if (found.size < maxDefinitions && line.length < 2_000) found.set(name!.toLowerCase(), line)
  }
  return found
}

/** Those whose names stand in a block. */
function definitionsFor(source: string, known: ReadonlyMap<string, string>): string {
  if (known.size === 0 || !source.includes('[')) return ''
  const lower = source.toLowerCase()
  return [...known].flatMap(([name, line]) => (lower.includes(`[${name}]`) ? line : [])).join('\n')
}
