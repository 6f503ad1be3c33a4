/** Encrypted reasoning as callers get it: with the mark of the vendor that encrypted it (`ReasoningMark`). */
import { isRecord, type ReasoningMark } from '#providers/kit'
import type { ResponsesJson } from './items.ts'

/** An event with the encrypted reasoning of its item or response marked; the same object if there is none. */
export function markedEvent(event: ResponsesJson, mark: ReasoningMark): ResponsesJson {
  if (!mark.writes) return event
  const { item, response } = event
  const markedItem = isRecord(item) ? withMark(item, mark) : item
  const marked = isRecord(response) ? markedResponse(response, mark) : response
  if (markedItem === item && marked === response) return event
  return {
    ...event,
    ...(isRecord(item) && { item: markedItem }),
    ...(isRecord(response) && { response: marked }),
  }
}

/** A response with its encrypted reasoning marked; the same object if there is none. */
export function markedResponse(response: ResponsesJson, mark: ReasoningMark): ResponsesJson {
  const { output } = response
  if (!mark.writes || !Array.isArray(output)) return response
  const marked = output.map((item: unknown) => (isRecord(item) ? withMark(item, mark) : item))
  return marked.every((item, place) => item === output[place]) ? response : { ...response, output: marked }
}

function withMark(item: ResponsesJson, mark: ReasoningMark): ResponsesJson {
  const { encrypted_content: sealed } = item
  return typeof sealed === 'string' && sealed !== ''
    ? { ...item, encrypted_content: mark.write(sealed) }
    : item
}
