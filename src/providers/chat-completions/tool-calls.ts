import { randomBytes } from 'node:crypto'
import { UpstreamError } from '#core/spec'
import type { AnswerPart } from '#core/turn'
import { exactly } from '#platform/json'
import { isRecord } from '#providers/kit'
import { thoughtSignature } from './history.ts'

interface OpenCall {
  /** Its index among the calls that were emitted; undefined before that. */
  index: number | undefined
  /** The upstream's index and id of the call, if it sends any. */
  upstreamIndex: number | undefined
  upstreamId: string | undefined
  id: string
  name: string
  arguments: string
  /** Vendor fields that are kept until the call is emitted. */
  unknown: Record<string, unknown> | undefined
}

const known = ['index', 'id', 'type', 'function']

/** Far more than a caller could send back (contract section 4: 128). */
const maxCalls = 1_024

/**
 * Tool calls of one answer, in order, however the upstream identifies them: without an index (Gemini), always index 0 with complete calls
 * (Ollama), a new id in every piece or none at all (vLLM), complete calls in one piece, arguments as an object. Each call gets one stable
 * index (0, 1, …) and one stable id.
 */
export class ToolCalls {
  readonly #calls: OpenCall[] = []
  /** The calls that were emitted: those that have a name. */
  announced = 0

  get size(): number {
    return this.#calls.length
  }

  /** True when every call has a name and its arguments are complete JSON. */
  get complete(): boolean {
    return this.#calls.every(
      (call) => call.index !== undefined && (call.arguments === '' || isCompleteJson(call.arguments)),
    )
  }

  /** The parts of one `tool_calls` list: fragments in a delta, complete calls in a message. */
  read(list: unknown, isComplete: boolean): AnswerPart[] {
    if (!Array.isArray(list)) return []
    return list.flatMap((piece: unknown) => (isRecord(piece) ? this.#piece(piece, isComplete) : []))
  }

  #piece(piece: Record<string, unknown>, isComplete: boolean): AnswerPart[] {
    const described = isRecord(piece['function']) ? piece['function'] : {}
    const index = Number.isInteger(piece['index']) ? (piece['index'] as number) : undefined
    const id = typeof piece['id'] === 'string' && piece['id'] !== '' ? piece['id'] : undefined
    const name = typeof described['name'] === 'string' ? described['name'] : ''
    const text = argumentText(exactly(described)['arguments'])
    const open = isComplete ? undefined : this.#find(index, id, name, text)
    // Some servers repeat the complete call at the end.
    if (open?.index !== undefined && name !== '' && text === open.arguments && isCompleteJson(text)) return []
    const call = open ?? this.#begin(index, id)
    if (call.index === undefined) call.name += name
    return this.#tell(call, text, unknownFields(piece))
  }

  /** A call is emitted when its name is known; arguments that came earlier are buffered until then. */
  #tell(call: OpenCall, text: string, unknown: Record<string, unknown> | undefined): AnswerPart[] {
    call.arguments += text
    call.unknown = unknown || call.unknown ? { ...call.unknown, ...unknown } : undefined
    if (call.name === '') return []
    const parts: AnswerPart[] = []
    const wasAnnounced = call.index !== undefined
    // The index is assigned when the call is emitted, so that a call that never got a name leaves no gap.
    const index = call.index ?? this.announced++
    call.index = index
    const extra = call.unknown && extraOf(index, call.unknown)
    const signature = thoughtSignature(call.unknown?.['extra_content'])
    call.unknown = undefined
    if (!wasAnnounced) {
      // Callers of other wires send it back in the reasoning before the call.
      if (signature !== undefined)
        parts.push({ type: 'reasoning-end', opaque: { wire: 'chat', data: signature, id: call.id } })
      parts.push({ type: 'tool-call', index, id: call.id, name: call.name, ...(extra && { extra }) })
    } else if (extra) parts.push({ type: 'extra', extra })
    const delta = wasAnnounced ? text : call.arguments
    if (delta !== '') parts.push({ type: 'tool-arguments', index, delta })
    return parts
  }

  /** The open call that this piece continues; undefined when it begins a new one. */
  #find(index: number | undefined, id: string | undefined, name: string, text: string): OpenCall | undefined {
    const byId = id === undefined ? [] : this.#calls.filter((call) => call.upstreamId === id)
    const same = byId.find((call) => call.upstreamIndex === index) ?? byId.at(-1)
    if (same && !opensBeside(same, index, name, text)) return same
    const candidate =
      index === undefined ? this.#calls.at(-1) : this.#calls.findLast((call) => call.upstreamIndex === index)
    if (!candidate) return undefined
    if (index === undefined && id !== undefined && candidate.upstreamId !== undefined) return undefined
    // A fragment with a name begins a call, unless it repeats the name of one whose arguments are still arriving.
    if (name === '' || candidate.index === undefined) return candidate
    const another = id !== candidate.upstreamId || name !== candidate.name || text !== ''
    const finished = isCompleteJson(candidate.arguments) || name !== candidate.name
    return another && finished ? undefined : candidate
  }

  #begin(upstreamIndex: number | undefined, upstreamId: string | undefined): OpenCall {
    if (this.#calls.length >= maxCalls)
      throw new UpstreamError('malformed', { detail: `more than ${maxCalls} tool calls` })
    const call: OpenCall = {
      index: undefined,
      upstreamIndex,
      upstreamId,
      id:
        upstreamId === undefined || this.#calls.some(({ id }) => id === upstreamId)
          ? `call_${randomBytes(12).toString('hex')}`
          : upstreamId,
      name: '',
      arguments: '',
      unknown: undefined,
    }
    this.#calls.push(call)
    return call
  }
}

/** Some servers give all calls of an answer one id: a name at another index is another call, unless it repeats the same call. */
const opensBeside = (call: OpenCall, index: number | undefined, name: string, text: string): boolean =>
  name !== '' &&
  index !== undefined &&
  call.upstreamIndex !== undefined &&
  call.upstreamIndex !== index &&
  !(text === call.arguments && isCompleteJson(text))

/** Servers with JSON-native tools send the arguments as an object, with its exact numbers. */
function argumentText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

/** Vendor fields such as signatures (Gemini's `extra_content`), which the caller must be able to send back. */
function unknownFields(piece: Record<string, unknown>): Record<string, unknown> | undefined {
  let fields: Record<string, unknown> | undefined
  const exact = exactly(piece)
  for (const name in piece) {
    if (known.includes(name) || piece[name] === null) continue
    fields ??= {}
    fields[name] = exact[name]
  }
  return fields
}

/** The extra fields, with the call's own index instead of the upstream's. */
const extraOf = (index: number, fields: Record<string, unknown>): AnswerPart['extra'] => ({
  wire: 'chat',
  delta: { tool_calls: [{ index, ...fields }] },
})

function isCompleteJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
