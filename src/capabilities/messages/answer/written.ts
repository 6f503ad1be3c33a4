/** Neutral parts → events, for an answer that did not come over this wire. */
import type { Bill, Opaque, Part } from '#engine/turn'
import { Blocks } from './blocks.ts'
import { type Event, emptyMessage, endOf, type Manner, type Stop, type Writer } from './event.ts'
import { Findings } from './findings.ts'
import { callBlock, resultBlock } from './hosted-blocks.ts'
import { firstUsageOf, lastUsageOf } from './usage.ts'

export class WrittenAnswer implements Writer {
  readonly #manner: Manner
  readonly #blocks = new Blocks()
  readonly #findings = new Findings()
  #begun = false
  #stop: Stop = { reason: 'stop' }
  #refused = false

  constructor(manner: Manner) {
    this.#manner = manner
  }

  of(part: Part): Event[] {
    this.#read(part)
    return [...this.#begin(), ...this.#blocks.take()]
  }

  end(bill: Bill): Event[] {
    this.#blocks.close()
    const delta = endOf({ ...this.#stop, refused: this.#refused })
    return [
      ...this.#begin(),
      ...this.#blocks.take(),
      { type: 'message_delta', delta, usage: lastUsageOf(bill, { server_tool_use: this.#findings.usage }) },
      { type: 'message_stop' },
    ]
  }

  #begin(): Event[] {
    if (this.#begun) return []
    this.#begun = true
    const { heading, guess } = this.#manner
    return [{ type: 'message_start', message: emptyMessage(heading(), firstUsageOf(guess(), undefined)) }]
  }

  #read(part: Part): void {
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
        if (this.#manner.showsThinking) blocks.thinking(part.text)
        break
      case 'reasoning-end':
        if (this.#manner.showsThinking) this.#endThinking(part.opaque)
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
        const block = resultBlock(part, this.#manner.nowMs())
        if (block) blocks.whole(block)
        break
      }
      case 'finish':
        this.#stop = part
        break
      default:
    }
  }

  /** Also where a call is not shown, what is said after it is another text. */
  #call(part: Extract<Part, { type: 'hosted-call' }>): void {
    this.#blocks.close()
    const call = callBlock(part)
    if (call) this.#blocks.wholeCall(call.block, call.input)
  }

  /** What another vendor's model has sealed, this wire has no place for. */
  #endThinking(opaque: Opaque | undefined): void {
    const { data, signature } = opaque?.wire === 'messages' ? opaque : {}
    if (data === undefined) this.#blocks.seal(signature)
    else this.#blocks.whole({ type: 'redacted_thinking', data })
  }
}
