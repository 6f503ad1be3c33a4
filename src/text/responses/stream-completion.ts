/**
 * Completes the events of an upstream of this wire. Some servers send deltas of items that they never opened, end none of them, or send
 * `response.completed` alone; clients of the wire throw at such streams, or show nothing. What is missing is added in the words of the wire. What an
 * upstream that keeps to the wire sends is passed on as the same objects.
 */
import type { AnswerPart } from '#core/turn'
import { isRecord } from '#platform/json'
import { type ItemStatus, idOf, type ResponseJson } from './item.ts'
import { type PartKind, type PartStep, partsIn, partWords, stepOf } from './part-events.ts'
import { addedType, argumentsDelta, argumentsDone, doneType, SentItem } from './sent-item.ts'

/** The parts of one item that are completed; events of further ones are passed on as they are. */
const maxParts = 4_096

export class StreamCompletion {
  readonly #hex: string
  readonly #items: SentItem[] = []

  /** `hex`: the request's id in 32 hexadecimal digits, of which ids of items are made. */
  constructor(hex: string) {
    this.#hex = hex
  }

  /** The events that are sent for this one of the upstream: itself, and before it those that are missing. */
  complete(event: ResponseJson): ResponseJson[] {
    const { type, item } = event
    if (type === addedType) return isRecord(item) ? this.#added(event, item) : [event]
    if (type === doneType) return isRecord(item) ? this.#done(event, item) : [event]
    if (type === argumentsDelta || type === argumentsDone) return this.#arguments(event)
    const found = stepOf(event)
    return found ? this.#part(event, found.kind, found.step) : [event]
  }

  /**
   * The events that are missing before the last one, and the output of the complete response: what the caller has seen, by its places, as it stands in
   * the upstream's last event. An item that was not ended before is ended as it stands there, or as far as it was received.
   */
  end(
    output: readonly ResponseJson[],
    status: ItemStatus,
  ): { events: ResponseJson[]; output: ResponseJson[] } {
    const events: ResponseJson[] = []
    const known = this.#matched(output)
    for (const [index, item] of output.entries()) {
      const sent = known[index] ?? this.#begin(item, { output_index: index })
      if (!sent.isDone) events.push(...this.#completeItem(sent, item, status))
      else if (sent.isUpstreams) sent.full = sent.ended(item)
    }
    for (const sent of this.#items)
      if (!sent.isDone && sent.opened) events.push(...this.#completeItem(sent, sent.received, status))
    const inOrder = this.#items.filter(({ opened }) => opened).sort((one, other) => one.place - other.place)
    return { events, output: inOrder.flatMap(({ full }): ResponseJson[] => (full ? [full] : [])) }
  }

  /** The events of a part that no event of the upstream brings: the last one of an answer, which its limit has shortened. */
  delta(part: AnswerPart): ResponseJson[] {
    if (part.type === 'tool-arguments') return this.complete({ type: argumentsDelta, delta: part.delta })
    if (part.type !== 'text' || part.text === '') return []
    const open = this.#items.findLast(({ type, isDone }) => type === 'message' && !isDone)
    const content_index = open?.parts.at(-1)?.index ?? 0
    return this.complete({
      type: partWords.output_text.events.delta,
      content_index,
      delta: part.text,
      logprobs: [],
    })
  }

  /**
   * The events that end the open items of an answer that was cut off at its limit. Reasoning is left open: without its end it has no
   * `encrypted_content`, so clients could not send it back.
   */
  cut(): ResponseJson[] {
    return this.#items.flatMap((sent) =>
      sent.isDone || !sent.opened || !endedWhenCut.has(sent.type)
        ? []
        : this.#completeItem(sent, sent.received, 'incomplete'),
    )
  }

  /** The items of the final output among those that were sent: by their ids, else in their order. */
  #matched(output: readonly ResponseJson[]): (SentItem | undefined)[] {
    const left = [...this.#items]
    const take = (fits: (item: SentItem) => boolean): SentItem | undefined => {
      const index = left.findIndex(fits)
      return index === -1 ? undefined : left.splice(index, 1)[0]
    }
    const byId = output.map(({ type, id }) => take((sent) => sent.type === type && sent.hasId(id)))
    return output.map(({ type }, index) => byId[index] ?? take((sent) => sent.type === type))
  }

  #added(event: ResponseJson, item: ResponseJson): ResponseJson[] {
    const known = this.#find(String(item['type']), event)
    // Its deltas came first, and opened it.
    if (known?.opened) return []
    const sent = known ?? this.#begin(item, event, true)
    sent.opened = item
    for (const { kind, index } of partsIn(item)) sent.addPart(kind, index)
    const held = sent.arguments === '' ? [] : [sent.placed({ type: argumentsDelta, delta: sent.arguments })]
    return [withItem(event, withId(item, sent.id), sent), ...held]
  }

  #done(event: ResponseJson, item: ResponseJson): ResponseJson[] {
    const type = String(item['type'])
    const known = this.#find(type, event)
    if (!known && this.#items.some((sent) => sent.type === type && sent.hasId(item['id']))) return []
    if (!known?.isUpstreams) return this.#completeItem(known ?? this.#begin(item, event), item, 'completed')
    known.isDone = true
    known.full = known.ended(item)
    // No client calls a tool before its arguments have ended.
    return [...known.rest(known.full, type === 'function_call'), withItem(event, known.full, known)]
  }

  /** The arguments of a call that was not opened are held until its name is known. */
  #arguments(event: ResponseJson): ResponseJson[] {
    const { type, delta, arguments: text } = event
    const call = this.#find('function_call', event) ?? this.#begin({ type: 'function_call' }, event)
    if (type === argumentsDelta && typeof delta === 'string') call.arguments += delta
    if (type === argumentsDone && typeof text === 'string') call.arguments = text
    if (!call.opened) return []
    call.areArgumentsEnded ||= type === argumentsDone
    return [call.placed(event)]
  }

  #part(event: ResponseJson, kind: PartKind, step: PartStep): ResponseJson[] {
    const { item: type, index: field, text } = partWords[kind]
    const before: ResponseJson[] = []
    let item = this.#find(type, event)
    if (!item) {
      item = this.#begin({ type }, event)
      before.push(item.open(item.completed({ type }, 'completed')))
    }
    const index = typeof event[field] === 'number' ? event[field] : 0
    const known = item.part(kind, index)
    // Each event searches its part among all of them.
    if (!known && item.parts.length >= maxParts) return [...before, item.placed(event)]
    const part = known ?? item.addPart(kind, index)
    // Parts of reasoning are opened where its item was opened here: some servers send their text alone, and clients take it.
    const isMissing = !known && step !== 'added' && (type === 'message' || !item.isUpstreams)
    if (isMissing) before.push(item.placed(part.opening))
    if (known && step === 'added') return before
    if (step === 'delta') part.text += String(event['delta'] ?? '')
    if (step === 'text') part.text = String(event[text] ?? part.text)
    part.isTextEnded ||= step === 'text'
    part.isEnded ||= step === 'ended'
    return [...before, item.placed(event[field] === index ? event : { ...event, [field]: index })]
  }

  /** The item that an event is about, if it is not ended. */
  #find(type: string, event: ResponseJson): SentItem | undefined {
    return this.#items.findLast((sent) => sent.type === type && !sent.isDone && sent.isMeantBy(event))
  }

  /** Begins an item; nothing of it is sent yet. */
  #begin(item: ResponseJson, event: ResponseJson, isUpstreams = false): SentItem {
    const type = String(item['type'])
    const place = this.#freePlace(event['output_index'])
    const own = [item['id'], event['item_id']].find((id) => typeof id === 'string' && id !== '')
    const isTaken = this.#items.some(({ id }) => id === own)
    const made = idOf(prefixOf[type] ?? 'it', this.#hex, place)
    const id = typeof own === 'string' && !isTaken ? own : made
    const sent = new SentItem({ type, place, id, isUpstreams, event: { item, ...event } })
    this.#items.push(sent)
    return sent
  }

  /** The upstream's place, so that reasoning that comes last stands before what it led to; the next one where it has none. */
  #freePlace(index: unknown): number {
    const places = this.#items.map(({ place }) => place)
    const isPlace = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index <= 0xffff
    return isPlace && !places.includes(index) ? index : Math.max(-1, ...places) + 1
  }

  /** The events that send what is missing of an item up to its end. */
  #completeItem(sent: SentItem, item: ResponseJson, status: ItemStatus): ResponseJson[] {
    const full = sent.completed(item, status)
    const opening = sent.opened ? [] : [sent.open(full)]
    // Arguments that were held were not sent.
    if (opening.length > 0) sent.arguments = ''
    sent.isDone = true
    sent.full = full
    return [...opening, ...sent.rest(full, true), { type: doneType, output_index: sent.place, item: full }]
  }
}

const endedWhenCut: ReadonlySet<string> = new Set(['message', 'function_call'])

const prefixOf: Record<string, 'msg' | 'rs' | 'fc' | 'ws' | undefined> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  web_search_call: 'ws',
}

const withId = (item: ResponseJson, id: string): ResponseJson => (item['id'] === id ? item : { ...item, id })

/** An event of the upstream that brings an item; the same object where place and id are those that the caller sees. */
const withItem = (event: ResponseJson, item: ResponseJson, { place }: SentItem): ResponseJson =>
  event['item'] === item && event['output_index'] === place ? event : { ...event, output_index: place, item }
