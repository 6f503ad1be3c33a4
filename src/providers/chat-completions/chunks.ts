import { UpstreamError } from '#core/spec'
import type { AnswerPart, FinishReason } from '#core/turn'
import { exactly } from '#platform/json'
import { type AnswerReader, type EventProgress, faultOfError, isRecord } from '#providers/kit'
import { ToolCalls } from './tool-calls.ts'
import { readTimings, readUsage } from './usage.ts'

/** Fields that are read here or have no meaning for a caller; all others go to `extra`. */
const chunkFields = new Set(['id', 'object', 'created', 'model', 'choices', 'usage', 'error', 'timings'])
const choiceFields = new Set(['index', 'delta', 'message', 'finish_reason', 'text', 'error'])
const deltaFields = new Set([
  'role',
  'content',
  'refusal',
  'tool_calls',
  'function_call',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
])

type Extra = NonNullable<AnswerPart['extra']>

/** Reads the chunks of one answer, or the one object of an answer that is not streamed, into neutral parts. */
export class ChunkReader implements AnswerReader {
  readonly #secrets: readonly string[]
  readonly #endMark: 'done' | undefined
  readonly #calls = new ToolCalls()
  closed = false
  #started = false
  #hasWords = false
  #finish: FinishReason | undefined
  #usage: Extract<AnswerPart, { type: 'usage' }> | undefined

  /** `endMark`: see `TextCall`. */
  constructor(secrets: readonly string[], endMark?: 'done') {
    this.#secrets = secrets
    this.#endMark = endMark
  }

  get finished(): boolean {
    return this.#finish !== undefined
  }

  /** Adds the parts of one chunk. Throws `UpstreamError` for an error inside the stream. */
  read(chunk: Record<string, unknown>, event: string, parts: AnswerPart[]): EventProgress {
    // Some gateways name the event instead of wrapping the object.
    const error = chunk['error'] ?? (event === 'error' ? chunk : undefined)
    if (error !== undefined) throw faultOfError(error, this.#secrets)
    const first = parts.length
    if (!this.#started) parts.push(this.#start(chunk))
    this.#readUsage(chunk)
    const choice = firstChoice(chunk['choices'])
    const from = parts.length
    if (choice) this.#readChoice(choice, parts)
    this.#hasWords ||= parts.some(
      ({ type }, place) => place >= from && (type === 'text' || type === 'refusal'),
    )
    attach(parts, from, extraOf(chunk, choice))
    return progressOf(parts, first)
  }

  close(): void {
    this.closed = true
  }

  /**
   * The final parts: finish, then usage. Usage is yielded even for a truncated answer, since the upstream counted it; then the truncation
   * is thrown.
   */
  *end(): Generator<AnswerPart, void, undefined> {
    if (this.closed) this.#finish ??= this.#impliedFinish
    if (this.#finish) yield { type: 'finish', reason: this.#reasonOf(this.#finish) }
    yield* this.usageSoFar()
    if (!this.#finish) throw new UpstreamError('cut', { detail: 'the answer ended without a finish reason' })
  }

  /** The end of a stream that ended as it should, except that its finish reason never came; undefined where it may have been cut. */
  get #impliedFinish(): FinishReason | undefined {
    // Some servers send no finish reason with tool calls; complete arguments are accepted instead.
    if (this.#calls.size > 0) return this.#calls.complete ? 'tool_calls' : undefined
    return this.#endMark === 'done' && this.#hasWords ? 'stop' : undefined
  }

  /**
   * Ollama, Gemini and OpenAI (with a forced tool) send `stop` although the answer is a tool call, and others (vLLM with a required tool)
   * `tool_calls` although there is none, for which clients would wait, or ask again and again.
   */
  #reasonOf(finish: FinishReason): FinishReason {
    if (finish !== 'stop' && finish !== 'tool_calls') return finish
    return this.#calls.announced > 0 ? 'tool_calls' : 'stop'
  }

  /** The newest usage report, if there was one. */
  *usageSoFar(): Generator<AnswerPart, void, undefined> {
    if (this.#usage) yield this.#usage
  }

  #start(chunk: Record<string, unknown>): AnswerPart {
    this.#started = true
    const { id, model } = chunk
    return {
      type: 'start',
      ...(typeof id === 'string' && id !== '' && { upstreamId: id }),
      ...(typeof model === 'string' && model !== '' && { upstreamModel: model }),
    }
  }

  /**
   * Servers report usage in a chunk of its own, in the last chunk, or cumulatively in every chunk: the newest report is complete in itself.
   */
  #readUsage(chunk: Record<string, unknown>): void {
    const raw = chunk['usage']
    if (raw !== undefined && raw !== null) {
      const usage = readUsage(raw)
      if (usage) this.#usage = { type: 'usage', usage, raw: exactly(raw as Record<string, unknown>) }
    } else if (chunk['timings'] !== undefined && !this.#usage?.raw) {
      const usage = readTimings(chunk['timings'])
      if (usage) this.#usage = { type: 'usage', usage }
    }
  }

  #readChoice(choice: Record<string, unknown>, parts: AnswerPart[]): void {
    if (choice['error'] !== undefined && choice['error'] !== null) throw faultOfError(choice, this.#secrets)
    const delta = isRecord(choice['delta'])
      ? choice['delta']
      : isRecord(choice['message'])
        ? choice['message']
        : undefined
    if (delta) this.#readDelta(delta, parts, delta === choice['message'])
    else if (typeof choice['text'] === 'string' && choice['text'] !== '')
      parts.push({ type: 'text', text: choice['text'] })
    const reason = choice['finish_reason']
    if (typeof reason === 'string' && reason !== '') this.#finish ??= finishOf(reason)
  }

  #readDelta(delta: Record<string, unknown>, parts: AnswerPart[], isComplete: boolean): void {
    readReasoning(delta, parts)
    const content = delta['content']
    if (typeof content === 'string') {
      if (content !== '') parts.push({ type: 'text', text: content })
    } else if (Array.isArray(content)) readContentParts(content, parts)
    if (typeof delta['refusal'] === 'string' && delta['refusal'] !== '')
      parts.push({ type: 'refusal', text: delta['refusal'] })
    if (delta['tool_calls']) parts.push(...this.#calls.read(delta['tool_calls'], isComplete))
    // The deprecated `function_call` field: one call without an id.
    if (isRecord(delta['function_call']))
      parts.push(...this.#calls.read([{ index: 0, function: delta['function_call'] }], isComplete))
    if (Array.isArray(delta['annotations'])) readCitations(delta['annotations'], parts)
  }
}

/** Decides by the parts that the chunk added. An empty chunk is a heartbeat. */
function progressOf(parts: readonly AnswerPart[], first: number): EventProgress {
  for (let position = first; position < parts.length; position += 1)
    if (tokens.has(parts[position]!.type)) return 'token'
  return parts.length > first ? 'life' : 'nothing'
}

const tokens: ReadonlySet<AnswerPart['type']> = new Set([
  'text',
  'reasoning',
  'refusal',
  'tool-call',
  'tool-arguments',
])

function firstChoice(choices: unknown): Record<string, unknown> | undefined {
  if (!Array.isArray(choices)) return undefined
  // Only one choice is requested; if an upstream sends more, the others are ignored.
  return choices.find(
    (choice: unknown) =>
      isRecord(choice) &&
      (choice['index'] === undefined || choice['index'] === 0 || choice['index'] === null),
  )
}

/** Pages that the answer rests on, as OpenAI and OpenRouter name them; a caller of this wire gets the annotations as they came. */
function readCitations(annotations: unknown[], parts: AnswerPart[]): void {
  for (const annotation of annotations) {
    if (!isRecord(annotation) || !isRecord(annotation['url_citation'])) continue
    const { url, title, start_index: start, end_index: end } = annotation['url_citation']
    if (typeof url !== 'string') continue
    const citation = {
      url,
      title: typeof title === 'string' ? title : '',
      ...(typeof start === 'number' && { start }),
      ...(typeof end === 'number' && { end }),
    }
    parts.push({ type: 'citation', citation })
  }
}

/** `reasoning_content` (DeepSeek, vLLM), `reasoning` (OpenRouter, Ollama, Groq), `reasoning_details` (OpenRouter, with signatures). */
function readReasoning(delta: Record<string, unknown>, parts: AnswerPart[]): void {
  const plain = nonEmptyText(delta['reasoning_content']) ?? nonEmptyText(delta['reasoning'])
  const details =
    Array.isArray(delta['reasoning_details']) && delta['reasoning_details'].length > 0
      ? delta['reasoning_details']
      : undefined
  if (plain === undefined && !details) return
  const text = plain ?? textOf(details ?? [])
  parts.push({ type: 'reasoning', text, ...(details && { details }) })
}

const nonEmptyText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Mistral sends content as parts, its thinking among them. */
function readContentParts(content: unknown[], parts: AnswerPart[]): void {
  for (const item of content) {
    if (typeof item === 'string') parts.push({ type: 'text', text: item })
    else if (!isRecord(item)) continue
    else if (typeof item['text'] === 'string') {
      if (item['text'] !== '') parts.push({ type: 'text', text: item['text'] })
    } else if (typeof item['refusal'] === 'string') parts.push({ type: 'refusal', text: item['refusal'] })
    else if (item['thinking'] !== undefined) {
      const text = Array.isArray(item['thinking']) ? textOf(item['thinking']) : String(item['thinking'])
      if (text !== '') parts.push({ type: 'reasoning', text })
    }
  }
}

function textOf(items: unknown[]): string {
  return items
    .map((item) => (isRecord(item) ? (item['text'] ?? item['summary']) : item))
    .filter((text) => typeof text === 'string')
    .join('')
}

function finishOf(reason: string): FinishReason {
  switch (reason.toLowerCase()) {
    case 'length':
    case 'max_tokens':
    case 'max_output_tokens':
    case 'model_length':
    case 'model_context_window_exceeded':
      return 'length'
    case 'tool_calls':
    case 'tool_call':
    case 'tool_use':
    case 'function_call':
      return 'tool_calls'
    case 'content_filter':
    case 'safety':
    case 'refusal':
    case 'recitation':
    case 'blocklist':
    case 'prohibited_content':
    case 'sensitive':
      return 'content_filter'
    case 'error':
    case 'network_error':
    case 'insufficient_system_resource':
      throw new UpstreamError('unavailable', { detail: `the answer ended with ${reason}` })
    case 'abort':
    case 'aborted':
    case 'cancelled':
      throw new UpstreamError('cut', { detail: `the answer ended with ${reason}` })
    // Also `end_turn`, `eos`, `stop_sequence` and unknown reasons.
    default:
      return 'stop'
  }
}

/** Unknown fields by their location, so that a caller of this wire gets them unchanged; undefined when there are none, the common case. */
function extraOf(
  chunk: Record<string, unknown>,
  choice: Record<string, unknown> | undefined,
): Extra | undefined {
  const own = unknown(chunk, chunkFields)
  const ofChoice = choice && unknown(choice, choiceFields)
  const delta = choice?.['delta'] ?? choice?.['message']
  const ofDelta = isRecord(delta) ? unknown(delta, deltaFields) : undefined
  if (!own && !ofChoice && !ofDelta) return undefined
  return {
    wire: 'chat',
    ...(own && { chunk: own }),
    ...(ofChoice && { choice: ofChoice }),
    ...(ofDelta && { delta: ofDelta }),
  }
}

function unknown(
  object: Record<string, unknown>,
  known: ReadonlySet<string>,
): Record<string, unknown> | undefined {
  let fields: Record<string, unknown> | undefined
  const exact = exactly(object)
  for (const name in object) {
    if (known.has(name) || object[name] === null) continue
    fields ??= {}
    fields[name] = exact[name]
  }
  return fields
}

/** Attaches the extra fields to the first part of the chunk that has none, or to an empty part of its own. */
function attach(parts: AnswerPart[], from: number, extra: Extra | undefined): void {
  if (!extra) return
  let place = from
  while (parts[place]?.extra) place += 1
  const carrier = parts[place]
  if (carrier) carrier.extra = extra
  else parts.push({ type: 'extra', extra })
}
