/** Items of an upstream of this wire that were begun and not ended, for an answer that was cut off at its limit. */
import type { Part } from '#engine/turn'
import type { Json } from './item.ts'

interface Begun {
  item: Json
  /** Text or arguments, as far as they came. */
  said: string
}

const deltas = new Set(['response.output_text.delta', 'response.function_call_arguments.delta'])

export class BegunItems {
  readonly #begun = new Map<number, Begun>()

  read(type: string, { output_index: index, item, delta }: Json): void {
    const place = Number(index)
    if (type === 'response.output_item.added') this.#begun.set(place, { item: item as Json, said: '' })
    else if (type === 'response.output_item.done') this.#begun.delete(place)
    else if (deltas.has(type)) {
      const begun = this.#begun.get(place)
      if (begun) begun.said += String(delta)
    }
  }

  /** The delta of the last piece, of which the limit left a part. */
  deltaOf(part: Part): { type: string; fields: Json } | undefined {
    const [place, begun] = [...this.#begun].at(-1) ?? []
    if (place === undefined || !begun) return undefined
    const at = { item_id: begun.item['id'], output_index: place }
    if (part.type === 'text') {
      begun.said += part.text
      return {
        type: 'response.output_text.delta',
        fields: { ...at, content_index: 0, delta: part.text, logprobs: [] },
      }
    }
    if (part.type !== 'tool-arguments') return undefined
    begun.said += part.delta
    return { type: 'response.function_call_arguments.delta', fields: { ...at, delta: part.delta } }
  }

  /** As far as each came. Reasoning that was not ended has no seal, and nobody could send it back. */
  ended(): [number, Json][] {
    return [...this.#begun].flatMap(([place, { item, said }]): [number, Json][] => {
      const ended = { ...item, status: 'incomplete' }
      if (item['type'] === 'function_call') return [[place, { ...ended, arguments: said }]]
      if (item['type'] !== 'message') return []
      const text = { type: 'output_text', text: said, annotations: [], logprobs: [] }
      return [[place, { ...ended, content: [text] }]]
    })
  }
}
