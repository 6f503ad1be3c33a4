/** Neutral parts → events, for an answer that did not come over this wire. */
import { seal } from '#core/text'
import type { AnswerPart, Bill, OpaqueContent } from '#core/turn'
import { BlockWriter } from './blocks.ts'
import {
  emptyMessage,
  endOf,
  type MessageEvent,
  type MessageOptions,
  type MessageWriter,
  type StopDetails,
} from './event.ts'
import { SearchFindings } from './findings.ts'
import { callBlock, resultBlock } from './hosted-blocks.ts'
import { firstUsageOf, lastUsageOf } from './usage.ts'

export class TranslatedAnswer implements MessageWriter {
  readonly #options: MessageOptions
  readonly #blocks: BlockWriter
  readonly #findings = new SearchFindings()
  #begun = false
  #stop: StopDetails = { reason: 'stop' }
  #refused = false

  constructor(options: MessageOptions) {
    this.#options = options
    this.#blocks = new BlockWriter(options)
  }

  of(part: AnswerPart): MessageEvent[] {
    this.#read(part)
    return [...this.#begin(), ...this.#blocks.drain()]
  }

  end(bill: Bill): MessageEvent[] {
    this.#blocks.close()
    const delta = endOf({ ...this.#stop, refused: this.#refused })
    return [
      ...this.#begin(),
      ...this.#blocks.drain(),
      { type: 'message_delta', delta, usage: lastUsageOf(bill, { server_tool_use: this.#findings.usage }) },
      { type: 'message_stop' },
    ]
  }

  get unsentArgumentBytes(): number {
    return this.#blocks.unsentArgumentBytes
  }

  #begin(): MessageEvent[] {
    if (this.#begun) return []
    this.#begun = true
    const { heading, usageSoFar } = this.#options
    return [
      { type: 'message_start', message: emptyMessage(heading(), firstUsageOf(usageSoFar(), undefined)) },
    ]
  }

  #read(part: AnswerPart): void {
    const blocks = this.#blocks
    switch (part.type) {
      case 'refusal':
        this.#refused = true
        blocks.text(part.text)
        break
      case 'text':
        blocks.text(part.text)
        break
      case 'reasoning':
        if (this.#options.showsThinking) blocks.thinking(part.text)
        break
      case 'reasoning-end':
        if (this.#options.showsThinking) this.#endThinking(part.opaque)
        break
      case 'citation':
        blocks.citation(this.#findings.citation(part.citation))
        break
      case 'tool-call':
        blocks.call(part.index, part.id, part.name)
        break
      case 'tool-arguments':
        blocks.callArguments(part.index, part.delta)
        break
      case 'hosted-call':
        this.#call(part)
        break
      case 'hosted-result': {
        this.#findings.add(part)
        const block = resultBlock(part, this.#options.nowMs())
        if (block) blocks.addBlock(block)
        break
      }
      case 'finish':
        this.#stop = part
        break
      default:
    }
  }

  /** Ends the open block even if the call is not shown, so that text after it is another block. */
  #call(part: Extract<AnswerPart, { type: 'hosted-call' }>): void {
    this.#blocks.close()
    const call = callBlock(part)
    if (call) this.#blocks.addCall(call.block, call.input)
  }

  /** Opaque data of other wires are sealed as a signature, or as a block of their own where there is nothing to read. */
  #endThinking(opaque: OpaqueContent | undefined): void {
    const isRedacted =
      opaque && (opaque.wire === 'messages' ? opaque.data !== undefined : !this.#blocks.isThinking)
    const sealed = opaque && seal(opaque, 'messages')
    if (isRedacted) this.#blocks.addBlock({ type: 'redacted_thinking', data: sealed })
    else this.#blocks.seal(sealed)
  }
}
