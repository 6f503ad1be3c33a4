import {
  type RealtimeCall,
  type RealtimeInput,
  type RealtimeLink,
  type RealtimeSetup,
  type RealtimeSink,
  type RealtimeUsage,
  UpstreamError,
} from '#core/spec'
import { type Deadline, deadlines } from '#platform/clock'
import { exactly } from '#platform/json'
import { faultOfError, isRecord, LiveAnswer, type UpstreamEvent, type UpstreamSocket } from '#providers/kit'
import {
  activityEnd,
  activityStart,
  type ContentItem,
  contentInput,
  setupOf,
  soundInput,
  textInput,
  toolResponse,
} from './messages.ts'
import { usageIn } from './usage.ts'

/** The most sound that one answer hears: a minute. */
const maxTurnBytes = 60 * 32_000
/** The size of one message of sound; larger messages are no quicker. */
const chunkBytes = 32_000
/** How long a turn may stay open after its last sound: the upstream ends it once it believes that all of it was heard. */
const playbackMs = 120_000
/** How long the usage may come after function calls: it stands beside the calls or in the next message. The turn itself ends with their results. */
const usageMs = 300
const maxHandle = 4_096
const maxCalls = 128

/** One session. Items have ids of ours, since this wire has none. */
export class GeminiConnection implements RealtimeLink {
  readonly #secrets: readonly string[]
  readonly #call: RealtimeCall
  readonly #sink: RealtimeSink
  #socket: UpstreamSocket | undefined
  #answer: LiveAnswer | undefined
  #usage: RealtimeUsage | undefined
  #items = 0
  /** The sound since the last commit; and the sound and items that are committed and wait for `respond`. */
  #sound: Uint8Array[] = []
  #soundBytes = 0
  #turn: Uint8Array[] = []
  #said: RealtimeInput[] = []
  /** True while an activity is open that was begun to interrupt an answer. */
  #isActive = false
  #userItem = ''
  #heard = ''
  #answerItem: string | undefined
  #isInterrupted = false
  /** Set once functions were called: the answer is over when its usage has come, or at this deadline. */
  #calls: Deadline | undefined
  #resumption: string | undefined
  #isLeaving = false
  #isClosed = false

  constructor(secrets: readonly string[], call: RealtimeCall, sink: RealtimeSink) {
    this.#secrets = secrets
    this.#call = call
    this.#sink = sink
  }

  get resumption(): string | undefined {
    return this.#resumption
  }

  get unsent(): readonly Uint8Array[] {
    return this.#turn
  }

  update(_setup: RealtimeSetup): void {
    this.#leave()
  }

  write(pcm: Uint8Array): void {
    if (this.#isClosed || pcm.length === 0) return
    this.#sound.push(pcm.slice())
    this.#soundBytes += pcm.length
    // The oldest sound is dropped, since the end of a turn matters more than its beginning.
    while (this.#soundBytes > maxTurnBytes) this.#soundBytes -= this.#sound.shift()!.length
  }

  discard(): void {
    this.#sound = []
    this.#soundBytes = 0
  }

  commit(): void {
    if (this.#isClosed || this.#sound.length === 0) return
    this.#turn = this.#turn.concat(this.#sound)
    this.discard()
    let bytes = this.#turn.reduce((sum, { length }) => sum + length, 0)
    while (bytes > maxTurnBytes) bytes -= this.#turn.shift()!.length
    this.#userItem = this.#newItem()
    this.#heard = ''
    this.#sink.committed(this.#userItem)
  }

  add(item: RealtimeInput): void {
    if (!this.#isClosed) this.#said.push(item)
  }

  /** Does nothing: this wire cannot take back what it was told. */
  remove(): void {}

  respond(): void {
    if (this.#isClosed || !this.#socket || this.#socket.isOver) return
    if (this.#answer) throw new Error('Two answers of one session at once.')
    const { timeouts, setup } = this.#call
    const { maxOutputTokens } = setup
    this.#answer = new LiveAnswer(this.#sink, { timeouts, maxOutputTokens }, (error) =>
      this.#socket?.fail(error),
    )
    this.#usage = undefined
    this.#answerItem = undefined
    this.#isInterrupted = false
    this.#sendTurn(this.#socket)
  }

  /** Begins an activity: only what the user does next interrupts an answer on this wire. */
  cancel(): void {
    if (!this.#answer || this.#answer.isCancelled) return
    this.#answer.cancel()
    this.#socket?.send(activityStart)
    this.#isActive = true
  }

  /** Does nothing: an interrupted upstream forgets what it had not sent yet, and cannot be told more. */
  truncate(): void {}

  async close(): Promise<void> {
    this.#isClosed = true
    this.#answer?.drop()
    this.#endCalls()
    this.#sound = []
    this.#turn = []
    await this.#socket?.close()
  }

  opened(socket: UpstreamSocket): void {
    this.#socket = socket
    socket.send(setupOf(this.#call))
  }

  failed(error: UpstreamError): void {
    this.#answer?.drop()
    this.#endCalls()
    if (!this.#isClosed) this.#sink.failed(error)
  }

  event(event: UpstreamEvent, socket: UpstreamSocket): void {
    if (this.#isClosed) return
    const { setupComplete, serverContent, toolCall, sessionResumptionUpdate, usageMetadata } = event
    if (event['error'] !== undefined) throw faultOfError(event['error'], this.#secrets)
    if (setupComplete !== undefined) socket.ready()
    if (isRecord(sessionResumptionUpdate)) this.#resumable(sessionResumptionUpdate)
    // The usage stands beside the end of a turn or in an earlier message of its own; the last one counts.
    if (isRecord(usageMetadata)) this.#usage = usageIn(usageMetadata)
    if (isRecord(toolCall)) this.#called(toolCall['functionCalls'])
    if (isRecord(serverContent)) this.#content(serverContent)
    if (this.#calls && this.#usage) this.#finish()
    if (event['goAway'] !== undefined) this.#leave()
  }

  #leave(): void {
    if (this.#isLeaving || this.#isClosed) return
    this.#isLeaving = true
    this.#sink.leaving()
  }

  #newItem(): string {
    this.#items += 1
    return `live_${this.#items}`
  }

  #sendTurn(socket: UpstreamSocket): void {
    const said = this.#said.filter((item): item is ContentItem => item.type !== 'function_result')
    const results = this.#said.filter((item) => item.type === 'function_result')
    const sound = this.#turn
    this.#said = []
    this.#turn = []
    const hasActivity = sound.length > 0 || this.#isActive
    const isContent = !hasActivity && results.length === 0
    if (this.#isActive) for (const text of textsOf(said)) socket.send(textInput(text))
    // If nothing is new, an empty content makes the model go on from what it knows.
    else if (said.length > 0 || isContent) socket.send(contentInput(said, isContent))
    if (hasActivity) {
      if (!this.#isActive) socket.send(activityStart)
      for (const chunk of chunksOf(sound)) socket.send(soundInput(chunk))
    }
    if (results.length > 0) socket.send(toolResponse(results))
    if (hasActivity) socket.send(activityEnd)
    this.#isActive = false
  }

  #resumable({ newHandle, resumable }: UpstreamEvent): void {
    const handle = typeof newHandle === 'string' && newHandle.length <= maxHandle ? newHandle : ''
    this.#resumption = resumable === true && handle !== '' ? handle : undefined
  }

  #asked(): LiveAnswer {
    if (!this.#answer) throw new UpstreamError('malformed', { detail: 'an answer that was not asked for' })
    this.#answer.moved()
    return this.#answer
  }

  #content(content: UpstreamEvent): void {
    const { inputTranscription, outputTranscription, modelTurn } = content
    const { interrupted, generationComplete, turnComplete } = content
    if (isRecord(inputTranscription)) this.#heardMore(inputTranscription['text'])
    if (isRecord(modelTurn)) this.#spoke(modelTurn['parts'])
    if (isRecord(outputTranscription) && typeof outputTranscription['text'] === 'string')
      this.#asked().words(this.#item(), outputTranscription['text'], true)
    if (generationComplete === true) this.#answer?.ending(playbackMs)
    if (interrupted === true) this.#isInterrupted = true
    if (turnComplete === true) this.#finish()
  }

  #endCalls(): void {
    this.#calls?.cancel()
    this.#calls = undefined
  }

  #heardMore(text: unknown): void {
    if (typeof text !== 'string' || this.#userItem === '') return
    this.#heard = (this.#heard + text).slice(0, maxUserTextLength)
    this.#sink.userTranscript({ itemId: this.#userItem, text: this.#heard, isFinal: false })
  }

  #spoke(parts: unknown): void {
    const answer = this.#asked()
    for (const part of Array.isArray(parts) ? parts : []) {
      if (!isRecord(part) || part['thought'] === true) continue
      const { inlineData, text } = part
      if (isRecord(inlineData) && typeof inlineData['data'] === 'string')
        answer.sound(this.#item(), Buffer.from(inlineData['data'], 'base64'))
      if (typeof text === 'string') answer.words(this.#item(), text, false)
    }
  }

  /** The item of the answer, which begins with its first sound or word. */
  #item(): string {
    if (this.#answerItem === undefined) {
      this.#answerItem = this.#newItem()
      this.#answer?.began(this.#answerItem)
    }
    return this.#answerItem
  }

  /** Passes on calls of functions. The upstream waits for the results before it says that the turn is over; for us the answer is over here. */
  #called(calls: unknown): void {
    const answer = this.#asked()
    for (const call of Array.isArray(calls) ? calls.slice(0, maxCalls + 1) : []) {
      if (!isRecord(call) || typeof call['name'] !== 'string' || typeof call['id'] !== 'string')
        throw new UpstreamError('malformed', { detail: 'a call of a function without its name' })
      answer.functionCall({
        itemId: this.#newItem(),
        callId: call['id'].slice(0, 200),
        name: call['name'].slice(0, 200),
        arguments: JSON.stringify(exactly(call)['args'] ?? {}),
      })
    }
    this.#calls ??= deadlines.in(usageMs, () => this.#finish())
  }

  #finish(): void {
    const answer = this.#answer
    if (!answer) return
    this.#endCalls()
    if (this.#heard !== '')
      this.#sink.userTranscript({ itemId: this.#userItem, text: this.#heard.trim(), isFinal: true })
    this.#heard = ''
    this.#answer = undefined
    answer.finish({
      status: this.#isInterrupted || answer.isCancelled ? 'cancelled' : 'completed',
      ...(this.#usage && { usage: this.#usage }),
    })
  }
}

/** The most characters of what the user says, enough for more than a minute. */
const maxUserTextLength = 4_000

const textsOf = (said: readonly ContentItem[]): string[] =>
  said.flatMap((item) => (item.type === 'message' ? [item.text] : []))

function* chunksOf(sound: readonly Uint8Array[]): Generator<Uint8Array> {
  const all = Buffer.concat(sound)
  for (let at = 0; at < all.length; at += chunkBytes) yield all.subarray(at, at + chunkBytes)
}
