import { randomBytes } from 'node:crypto'
import type { AnswerPart, Citation, OpaqueContent } from '#core/turn'
import { exactly, isFilled } from '#platform/json'
import { isRecord } from '#providers/kit'

type MessagesJson = Record<string, unknown>

/** An open content block. */
type OpenBlock =
  /** `from`: its start position in the answer's text. */
  | { type: 'text'; from: number; cited: Citation[] }
  | { type: 'thinking'; signature: unknown; hasText: boolean }
  /** `input`: the arguments from its first event; used unless deltas follow. */
  | { type: 'tool_use'; call: number; input: unknown; inPieces: boolean }

/**
 * The blocks of one answer as neutral parts: text, thinking, tool calls, and citations of web pages. Tools that run at the upstream, their
 * results, other citations and unknown blocks have no neutral form.
 */
export class ContentBlocks {
  /** The number of tool calls emitted. */
  calls = 0
  /** Searches of the upstream that have found something; one that failed is not billed. */
  searches = 0
  readonly #open = new Map<unknown, OpenBlock>()
  #textLength = 0

  /** Begins a block; in a non-streamed answer the block is complete. */
  start(index: unknown, block: unknown, parts: AnswerPart[]): void {
    if (!isRecord(block)) return
    switch (block['type']) {
      case 'text':
        this.#open.set(index, { type: 'text', from: this.#textLength, cited: citedIn(block['citations']) })
        this.#text(block['text'], parts)
        return
      case 'thinking':
        this.#open.set(index, {
          type: 'thinking',
          signature: block['signature'],
          hasText: isFilled(block['thinking']),
        })
        think(block['thinking'], parts)
        return
      case 'redacted_thinking':
        if (isFilled(block['data']))
          parts.push({ type: 'reasoning-end', opaque: { wire: 'messages', data: block['data'] } })
        return
      case 'web_search_tool_result':
        if (Array.isArray(block['content'])) this.searches++
        return
      case 'tool_use':
        this.#open.set(index, {
          type: 'tool_use',
          call: this.calls,
          input: exactly(block)['input'],
          inPieces: false,
        })
        parts.push({
          type: 'tool-call',
          index: this.calls++,
          id: stringOr(block['id'], newCallId),
          name: stringOr(block['name'], () => ''),
        })
    }
  }

  delta(index: unknown, delta: unknown, parts: AnswerPart[]): void {
    if (!isRecord(delta)) return
    switch (delta['type']) {
      case 'text_delta':
        this.#text(delta['text'], parts)
        return
      case 'thinking_delta': {
        const block = this.#open.get(index)
        if (block?.type === 'thinking') block.hasText ||= isFilled(delta['thinking'])
        think(delta['thinking'], parts)
        return
      }
      case 'input_json_delta':
        this.#input(this.#open.get(index), delta['partial_json'], parts)
        return
      case 'signature_delta': {
        const block = this.#open.get(index)
        if (block?.type === 'thinking') block.signature = delta['signature']
        return
      }
      case 'citations_delta': {
        const block = this.#open.get(index)
        if (block?.type === 'text') block.cited.push(...citedIn([delta['citation']]))
      }
    }
  }

  /** Whether the block is thinking that has come without a signature so far. */
  isUnsigned(index: unknown): boolean {
    const block = this.#open.get(index)
    return block?.type === 'thinking' && block.hasText && !isFilled(block.signature)
  }

  stop(index: unknown, parts: AnswerPart[]): void {
    const block = this.#open.get(index)
    if (!block) return
    this.#open.delete(index)
    this.#end(block, parts)
  }

  /** Closes blocks that some gateways leave open. */
  stopAll(parts: AnswerPart[]): void {
    for (const block of this.#open.values()) this.#end(block, parts)
    this.#open.clear()
  }

  #end(block: OpenBlock, parts: AnswerPart[]): void {
    switch (block.type) {
      case 'text':
        // A citation covers its whole block, whose end is known only now.
        for (const citation of block.cited) {
          parts.push({
            type: 'citation',
            citation: { ...citation, start: block.from, end: this.#textLength },
          })
        }
        return
      case 'thinking':
        parts.push({
          type: 'reasoning-end',
          ...(isFilled(block.signature) && { opaque: seal(block.signature) }),
        })
        return
      case 'tool_use':
        if (!block.inPieces)
          parts.push({ type: 'tool-arguments', index: block.call, delta: argumentText(block.input) })
    }
  }

  #text(text: unknown, parts: AnswerPart[]): void {
    if (!isFilled(text)) return
    this.#textLength += text.length
    parts.push({ type: 'text', text })
  }

  /** The input of a tool that runs at the upstream arrives the same way, and is not executed here. */
  #input(block: OpenBlock | undefined, piece: unknown, parts: AnswerPart[]): void {
    if (block?.type !== 'tool_use' || !isFilled(piece)) return
    block.inPieces = true
    parts.push({ type: 'tool-arguments', index: block.call, delta: piece })
  }
}

const stringOr = (value: unknown, other: () => string): string => (isFilled(value) ? value : other())

const newCallId = (): string => `toolu_${randomBytes(12).toString('hex')}`

const seal = (signature: string): OpaqueContent => ({ wire: 'messages', signature })

function think(text: unknown, parts: AnswerPart[]): void {
  if (isFilled(text)) parts.push({ type: 'reasoning', text })
}

/** A call without argument deltas has empty arguments; those that are no object stay what they are, as text. */
function argumentText(input: unknown): string {
  return isFilled(input) ? input : JSON.stringify(input === '' || input == null ? {} : input)
}

/** The citations of web pages only: positions in the caller's documents have a meaning on this wire alone. */
function citedIn(citations: unknown): Citation[] {
  if (!Array.isArray(citations)) return []
  return citations.flatMap((citation: unknown) => (isRecord(citation) ? webPage(citation) : []))
}

function webPage({ type, url, title, cited_text: citedText }: MessagesJson): Citation[] {
  if (type !== 'web_search_result_location' || !isFilled(url)) return []
  return [{ url, title: isFilled(title) ? title : url, ...(isFilled(citedText) && { citedText }) }]
}
