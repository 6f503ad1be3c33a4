/** The content blocks of a stream: one open at a time, their indices without a gap. */
import { callId } from '../call-ids.ts'
import type { MessageEvent } from './event.ts'
import { ObjectText } from './object-text.ts'
import type { MessageJson } from './usage.ts'

interface CallBlock {
  index: number
  id: string
  name: string
  input: ObjectText
}

export class BlockWriter {
  readonly #isWhole: boolean
  #events: MessageEvent[] = []
  #index = -1
  #open: 'text' | 'thinking' | 'whole' | 'call' | undefined
  #signature = ''
  /** The call whose block is open, and the calls that wait for it to end: upstreams may interleave the arguments of several. */
  #call: CallBlock | undefined
  #waiting: CallBlock[] = []
  /** Citations that arrived before the text to which they belong. */
  #citations: MessageJson[] = []

  /** `isWhole`: the answer is sent in one piece. */
  constructor({ isWhole }: { isWhole: boolean }) {
    this.#isWhole = isWhole
  }

  /** Returns the events since the last call. */
  drain(): MessageEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  /** The bytes of arguments that stand in no event yet: of calls that wait for another, and of those that are no objects. */
  get unsentArgumentBytes(): number {
    const calls = this.#call ? [this.#call, ...this.#waiting] : this.#waiting
    return calls.reduce((sum, { input }) => sum + input.bytes, 0)
  }

  text(text: string): void {
    if (text === '') return
    this.#switchTo('text', { type: 'text', text: '', citations: null })
    this.#delta({ type: 'text_delta', text })
    this.#cite()
  }

  citation(citation: MessageJson): void {
    this.#citations.push(citation)
    if (this.#open === 'text') this.#cite()
  }

  thinking(thinking: string): void {
    if (thinking === '') return
    this.#think()
    this.#delta({ type: 'thinking_delta', thinking })
  }

  /** Whether a block of thinking is open. */
  get isThinking(): boolean {
    return this.#open === 'thinking'
  }

  /** Ends a block of thinking with its seal, if there is one. */
  seal(signature: string | undefined): void {
    if (signature !== undefined) this.#think()
    if (this.#open !== 'thinking') return
    this.#signature = signature ?? ''
    this.close()
  }

  /** Adds a complete block. */
  addBlock(block: MessageJson): void {
    this.close()
    this.#start(block)
    this.#open = 'whole'
    this.#stop()
  }

  /** Adds a complete call, in the events that any call has: a start without input, then the input. */
  addCall(block: MessageJson, input: MessageJson): void {
    this.close()
    this.#start(block)
    this.#open = 'whole'
    this.#delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) })
    this.#stop()
  }

  call(index: number, id: string, name: string): void {
    this.#waiting.push({ index, id: callId(id), name, input: new ObjectText({ isWhole: this.#isWhole }) })
    if (!this.#call || this.#call.input.isComplete) this.#nextCall()
  }

  callArguments(index: number, text: string): void {
    const call =
      this.#call?.index === index ? this.#call : this.#waiting.find((waiting) => waiting.index === index)
    if (!call || text === '') return
    call.input.add(text)
    if (call !== this.#call) return
    this.#writeInput(call.input.take())
    while (this.#waiting.length > 0 && this.#call.input.isComplete) this.#nextCall()
  }

  /** Ends the open block and writes the waiting calls. */
  close(): void {
    while (this.#waiting.length > 0) this.#nextCall()
    this.#stop()
  }

  #think(): void {
    this.#switchTo('thinking', { type: 'thinking', thinking: '', signature: '' })
  }

  #switchTo(kind: 'text' | 'thinking', block: MessageJson): void {
    if (this.#open === kind) return
    this.close()
    this.#start(block)
    this.#open = kind
  }

  #nextCall(): void {
    this.#stop()
    const call = this.#waiting.shift()
    if (!call) return
    const { id, name } = call
    this.#start({ type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } })
    this.#open = 'call'
    this.#call = call
    this.#writeInput(call.input.take())
  }

  #writeInput(text: string): void {
    if (text !== '') this.#delta({ type: 'input_json_delta', partial_json: text })
  }

  #cite(): void {
    for (const citation of this.#citations) this.#delta({ type: 'citations_delta', citation })
    this.#citations = []
  }

  #start(block: MessageJson): void {
    this.#index++
    this.#events.push({ type: 'content_block_start', index: this.#index, content_block: block })
  }

  #delta(delta: MessageJson): void {
    this.#events.push({ type: 'content_block_delta', index: this.#index, delta })
  }

  #stop(): void {
    if (this.#open === undefined) return
    if (this.#call) this.#writeInput(this.#call.input.end())
    // Clients use the last signature for the whole block, so exactly one is sent; it is empty if there is none.
    if (this.#open === 'thinking') this.#delta({ type: 'signature_delta', signature: this.#signature })
    this.#events.push({ type: 'content_block_stop', index: this.#index })
    this.#open = undefined
    this.#call = undefined
    this.#signature = ''
  }
}
