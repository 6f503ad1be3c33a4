/** Items of an upstream of this wire that have started and not ended; they are completed here when the answer is cut off at its limit. */
import type { AnswerPart } from '#core/turn'
import type { ResponseJson } from './item.ts'

interface OpenItem {
  item: ResponseJson
  /** Text or arguments received so far. */
  received: string
}

const deltas = new Set(['response.output_text.delta', 'response.function_call_arguments.delta'])

export class OpenItems {
  readonly #open = new Map<number, OpenItem>()

  read(type: string, { output_index: index, item, delta }: ResponseJson): void {
    const place = Number(index)
    if (type === 'response.output_item.added')
      this.#open.set(place, { item: item as ResponseJson, received: '' })
    else if (type === 'response.output_item.done') this.#open.delete(place)
    else if (deltas.has(type)) {
      const opened = this.#open.get(place)
      if (opened) opened.received += String(delta)
    }
  }

  /** The delta event of the last part, which the limit has shortened. */
  deltaOf(part: AnswerPart): { type: string; fields: ResponseJson } | undefined {
    const [place, opened] = [...this.#open].at(-1) ?? []
    if (place === undefined || !opened) return undefined
    const at = { item_id: opened.item['id'], output_index: place }
    if (part.type === 'text') {
      opened.received += part.text
      return {
        type: 'response.output_text.delta',
        fields: { ...at, content_index: 0, delta: part.text, logprobs: [] },
      }
    }
    if (part.type !== 'tool-arguments') return undefined
    opened.received += part.delta
    return { type: 'response.function_call_arguments.delta', fields: { ...at, delta: part.delta } }
  }

  /** The open items as incomplete ones, by place. Reasoning is left out: without its end it has no `encrypted_content`, so clients could not send it back. */
  ended(): [number, ResponseJson][] {
    return [...this.#open].flatMap(([place, { item, received }]): [number, ResponseJson][] => {
      const ended = { ...item, status: 'incomplete' }
      if (item['type'] === 'function_call') return [[place, { ...ended, arguments: received }]]
      if (item['type'] !== 'message') return []
      const text = { type: 'output_text', text: received, annotations: [], logprobs: [] }
      return [[place, { ...ended, content: [text] }]]
    })
  }
}
