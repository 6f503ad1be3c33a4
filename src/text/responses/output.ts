/** Neutral parts → the items of an answer and their events (added, delta, done); the place of an item never changes. */
import { seal } from '#core/text'
import type { AnswerPart, FinishReason } from '#core/turn'
import { CallItem } from './call-item.ts'
import { type Emit, type ItemStatus, idOf, type ResponseItem, type ResponseJson } from './item.ts'
import { MessageItem } from './message-item.ts'
import { ReasoningItem } from './reasoning-item.ts'
import type { ResponseSpec } from './response.ts'
import { actionOf, WebItem } from './web-item.ts'

export class ResponseOutput {
  readonly items: ResponseJson[] = []
  finish: FinishReason = 'stop'
  /** All reasoning of the model, shown or not. */
  reasoningText = ''
  refused = false
  readonly #spec: ResponseSpec
  readonly #emit: Emit
  #open: MessageItem | ReasoningItem | undefined
  readonly #calls = new Map<number, CallItem>()
  /** The searches by the ids of their calls. */
  readonly #searches = new Map<string, WebItem>()
  /** Characters of text since the last hosted tool call. */
  #writtenLength = 0
  /** The index in `reasoningText` at which the open block begins. */
  #blockStart = 0

  constructor(spec: ResponseSpec, emit: Emit) {
    this.#spec = spec
    this.#emit = emit
  }

  add(part: AnswerPart): void {
    switch (part.type) {
      case 'text':
        this.#message().write(part.text, this.#writtenLength)
        this.#writtenLength += part.text.length
        break
      case 'refusal':
        this.refused = true
        this.#message().writeRefusal(part.text)
        break
      case 'citation':
        this.#message().cite(part.citation, this.#writtenLength)
        break
      case 'reasoning':
        this.#addReasoning(part.text)
        break
      case 'reasoning-end':
        this.#closeReasoning(
          part.opaque && this.#spec.seals ? seal(part.opaque, 'responses', this.#openReasoning) : undefined,
        )
        break
      case 'tool-call':
        this.#call(part)
        break
      case 'tool-arguments':
        if (part.delta !== '') this.#calls.get(part.index)?.write(part.delta)
        break
      case 'hosted-call':
        this.#hostedCall(part)
        break
      case 'hosted-result':
        this.#searches.get(part.id)?.finish(part.result)
        this.#searches.delete(part.id)
        break
      case 'finish':
        this.finish = part.reason
        break
      default:
    }
  }

  /** Ends the items that are still open. If the answer is incomplete, these items are, too. */
  close(status: ItemStatus): void {
    this.#closeOpen(status)
    this.#closeCalls(() => true, status)
    for (const web of this.#searches.values()) web.close()
  }

  /** The items at the moment at which an answer failed; open ones are incomplete, and no events are emitted for them. */
  broken(): ResponseJson[] {
    return this.items.map((item) =>
      item['status'] === 'in_progress' ? { ...item, status: 'incomplete' } : item,
    )
  }

  get #openReasoning(): string {
    return this.reasoningText.slice(this.#blockStart)
  }

  #message(): MessageItem {
    if (this.#open instanceof MessageItem) return this.#open
    this.#closeOpen()
    this.#closeCalls()
    const message = new MessageItem(this.#id('msg'), this.items.length, this.#emit)
    this.#open = this.#append(message)
    return message
  }

  #addReasoning(text: string): void {
    // The item is opened first, since the open block begins there.
    const item = this.#spec.showsReasoning && text !== '' ? this.#reasoning() : undefined
    this.reasoningText += text
    item?.write(text)
  }

  #reasoning(): ReasoningItem {
    if (this.#open instanceof ReasoningItem) return this.#open
    this.#closeOpen()
    this.#closeCalls()
    const plain = this.#spec.includesReasoning
    const reasoning = new ReasoningItem(this.#id('rs'), this.items.length, this.#emit, { plain })
    this.#open = this.#append(reasoning)
    return reasoning
  }

  /** A seal needs a reasoning item even if no reasoning is shown. */
  #closeReasoning(sealed: string | undefined): void {
    if (sealed !== undefined) this.#reasoning()
    if (this.#open instanceof ReasoningItem) {
      this.#open.close('completed', sealed)
      this.#open = undefined
    }
    this.#blockStart = this.reasoningText.length
  }

  #call({ index, id, name }: AnswerPart & { type: 'tool-call' }): void {
    this.#closeOpen()
    // Some upstreams interleave several calls; those with complete arguments are closed.
    this.#closeCalls((call) => call.isComplete)
    const named = { call_id: id, ...this.#spec.tools.callerName(name) }
    const call = new CallItem(this.#id('fc'), this.items.length, this.#emit, named)
    this.#calls.set(index, this.#append(call))
  }

  /** Tools without an item on this wire (dates, the shell) only separate the text before them from the text after them. */
  #hostedCall({ id, tool, input }: AnswerPart & { type: 'hosted-call' }): void {
    this.#closeOpen()
    this.#closeCalls()
    this.#writtenLength = 0
    const action = actionOf(tool, input)
    if (!action) return
    const { searchDetails } = this.#spec
    const web = new WebItem(this.#id('ws'), this.items.length, this.#emit, { action, details: searchDetails })
    this.#searches.set(id, this.#append(web))
  }

  #append<One extends ResponseItem>(item: One): One {
    this.items.push(item.json)
    return item
  }

  #closeOpen(status: ItemStatus = 'completed'): void {
    this.#open?.close(status)
    this.#open = undefined
    this.#blockStart = this.reasoningText.length
  }

  #closeCalls(which: (call: CallItem) => boolean = () => true, status: ItemStatus = 'completed'): void {
    for (const [index, call] of this.#calls) {
      if (!which(call)) continue
      call.close(status)
      this.#calls.delete(index)
    }
  }

  #id(prefix: 'msg' | 'rs' | 'fc' | 'ws'): string {
    return idOf(prefix, this.#spec.hex, this.items.length)
  }
}
