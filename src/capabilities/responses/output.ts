/** Neutral parts → the items of an answer and their events: added, written, done, in places that never change. */
import type { FinishReason, Part } from '#engine/turn'
import { CallItem } from './call-item.ts'
import { type Emit, type Item, type ItemStatus, idOf, type Json } from './item.ts'
import { MessageItem } from './message-item.ts'
import { ReasoningItem } from './reasoning-item.ts'
import type { Terms } from './response.ts'
import { seal } from './sealed.ts'
import { actionOf, WebItem } from './web-item.ts'

export class Output {
  readonly items: Json[] = []
  finish: FinishReason = 'stop'
  /** All that the model thought, shown or not. */
  thoughts = ''
  refused = false
  readonly #terms: Terms
  readonly #emit: Emit
  #open: MessageItem | ReasoningItem | undefined
  readonly #calls = new Map<number, CallItem>()
  /** By the ids of their calls. */
  readonly #webs = new Map<string, WebItem>()
  /** Characters of text since the last tool that ran here. */
  #written = 0
  /** Where in `thoughts` the block begins that is not whole yet. */
  #block = 0

  constructor(terms: Terms, emit: Emit) {
    this.#terms = terms
    this.#emit = emit
  }

  add(part: Part): void {
    switch (part.type) {
      case 'text':
        this.#message().say(part.text, this.#written)
        this.#written += part.text.length
        break
      case 'refusal':
        this.refused = true
        this.#message().refuse(part.text)
        break
      case 'citation':
        this.#message().cite(part.citation, this.#written)
        break
      case 'reasoning':
        this.#think(part.text)
        break
      case 'reasoning-end':
        this.#closeThought(part.opaque && this.#terms.seals ? seal(part.opaque, this.#thought) : undefined)
        break
      case 'tool-call':
        this.#call(part)
        break
      case 'tool-arguments':
        if (part.delta !== '') this.#calls.get(part.index)?.write(part.delta)
        break
      case 'hosted-call':
        this.#use(part)
        break
      case 'hosted-result':
        this.#webs.get(part.id)?.found(part.result)
        this.#webs.delete(part.id)
        break
      case 'finish':
        this.finish = part.reason
        break
      default:
    }
  }

  /** Ends what is still open; where the answer stops short of its end, what stands open there is incomplete. */
  close(status: ItemStatus): void {
    this.#closeOpen(status)
    this.#closeCalls(() => true, status)
    for (const web of this.#webs.values()) web.close()
  }

  /** The items as they stand where an answer broke: nothing more is told of what is open. */
  broken(): Json[] {
    return this.items.map((item) =>
      item['status'] === 'in_progress' ? { ...item, status: 'incomplete' } : item,
    )
  }

  get #thought(): string {
    return this.thoughts.slice(this.#block)
  }

  #message(): MessageItem {
    if (this.#open instanceof MessageItem) return this.#open
    this.#closeOpen()
    this.#closeCalls()
    const message = new MessageItem(this.#id('msg'), this.items.length, this.#emit)
    this.#open = this.#append(message)
    return message
  }

  #think(text: string): void {
    this.thoughts += text
    if (this.#terms.showsReasoning && text !== '') this.#reasoning().think(text)
  }

  #reasoning(): ReasoningItem {
    if (this.#open instanceof ReasoningItem) return this.#open
    this.#closeOpen()
    this.#closeCalls()
    const plain = this.#terms.includesReasoning
    const reasoning = new ReasoningItem(this.#id('rs'), this.items.length, this.#emit, { plain })
    this.#open = this.#append(reasoning)
    return reasoning
  }

  /** A seal stands in an item of its own also where nothing of the thought is shown. */
  #closeThought(sealed: string | undefined): void {
    if (sealed !== undefined) this.#reasoning()
    if (this.#open instanceof ReasoningItem) {
      this.#open.close('completed', sealed)
      this.#open = undefined
    }
    this.#block = this.thoughts.length
  }

  #call({ index, id, name }: Part & { type: 'tool-call' }): void {
    this.#closeOpen()
    // Some upstreams write several calls at once; what is whole is done.
    this.#closeCalls((call) => call.isWhole)
    const named = { call_id: id, ...this.#terms.tools.calledAs(name) }
    const call = new CallItem(this.#id('fc'), this.items.length, this.#emit, named)
    this.#calls.set(index, this.#append(call))
  }

  /** What has no item on this wire (dates, the shell) only parts what was said before it from what is said after. */
  #use({ id, tool, input }: Part & { type: 'hosted-call' }): void {
    this.#closeOpen()
    this.#closeCalls()
    this.#written = 0
    const action = actionOf(tool, input)
    if (!action) return
    const { tells } = this.#terms
    const web = new WebItem(this.#id('ws'), this.items.length, this.#emit, { action, tells })
    this.#webs.set(id, this.#append(web))
  }

  #append<One extends Item>(item: One): One {
    this.items.push(item.json)
    return item
  }

  #closeOpen(status: ItemStatus = 'completed'): void {
    this.#open?.close(status)
    this.#open = undefined
    this.#block = this.thoughts.length
  }

  #closeCalls(which: (call: CallItem) => boolean = () => true, status: ItemStatus = 'completed'): void {
    for (const [index, call] of this.#calls) {
      if (!which(call)) continue
      call.close(status)
      this.#calls.delete(index)
    }
  }

  #id(prefix: 'msg' | 'rs' | 'fc' | 'ws'): string {
    return idOf(prefix, this.#terms.hex, this.items.length)
  }
}
