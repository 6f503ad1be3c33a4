/** One response of a call: held before it is requested, played as it comes, and charged by the tokens that the upstream counts. */

import { failureOf } from '#core/inference'
import { limitCost, noCost } from '#core/models'
import type { RealtimeEnd, RealtimeUsage, UpstreamError } from '#core/spec'
import { asFailure, type Failure, type Language } from '#platform/errors'
import { errorObject, newId } from '../../events/server-events.ts'
import type { CallView, ConversationItem, OpenStep, ResponseOptions } from '../../parts.ts'
import {
  type AnswerStatus,
  type CancelReason,
  emptyContent,
  emptyMessage,
  partOf,
  textOf,
} from '../spoken-answer.ts'
import { claimOf, costOf, isCounted, quantitiesOf, type RelayPricing, type TokenCounts } from './price.ts'
import type { SessionLink } from './session-link.ts'
import { samplesOf } from './user-sound.ts'

export interface RelayAnswerOptions {
  call: CallView
  link: SessionLink
  model: { id: string; pricing: RelayPricing }
  /** The most that this response may cost, in micro-credits. */
  worst: bigint
  /** The tokens for which credits were held. */
  most: TokenCounts
  /** Called when the upstream claims more than is possible. */
  onDisbelieved: (claim: { claimed: TokenCounts; believed: TokenCounts }) => void
  responseOptions: ResponseOptions
  language: Language
  onSpeaking: (isSpeaking: boolean) => void
  onSaid: (text: string) => void
}

export class RelayAnswer {
  readonly id = newId('resp')
  readonly #options: RelayAnswerOptions
  readonly #output: ConversationItem[] = []
  readonly #finished = Promise.withResolvers<RealtimeEnd>()
  #message: ConversationItem | undefined
  /** The words for which no sound has come yet. */
  #words = ''
  #isSpeaking = false
  /** Whether the upstream was asked for the response. */
  #isAsked = false
  #status: AnswerStatus = 'in_progress'
  #end: RealtimeEnd | undefined
  #failure: Failure | undefined

  constructor(options: RelayAnswerOptions) {
    this.#options = options
  }

  get isOver(): boolean {
    return this.#status !== 'in_progress'
  }

  /** Whether the upstream has finished: then the waiting sound is played to its end. */
  get isGenerated(): boolean {
    return this.#end !== undefined
  }

  get failure(): Failure | undefined {
    return this.#status === 'cancelled' ? undefined : this.#failure
  }

  get isFinished(): boolean {
    return this.#status === 'completed' || this.#status === 'incomplete'
  }

  /** Call once. The response is requested when `free` has resolved, which is when the upstream takes another one. Resolves when its step is done. */
  async run(free: () => Promise<void>): Promise<void> {
    this.#emit('response.created', { response: this.#object() })
    await free()
    if (!this.isOver) await this.#ask()
  }

  /** Silences the response at once. The upstream is told how much was heard, and the step is done when it reports the cost. */
  cancel(reason: CancelReason): void {
    if (this.isOver) return
    if (this.#isAsked && !this.isGenerated) this.#options.link.cancel()
    this.#truncate()
    this.#finish('cancelled', reason)
  }

  // Reports of the upstream

  began(upstreamItemId: string): void {
    if (this.#message || this.isOver) return
    const message = emptyMessage()
    this.#message = message
    this.#add(message, upstreamItemId)
    message.content = emptyContent(this.#isSpoken)
    this.#emit('response.content_part.added', { ...this.#contentPosition(message), part: partOf(message) })
  }

  sound(upstreamItemId: string, pcm: Uint8Array): void {
    this.began(upstreamItemId)
    if (!this.#message || this.isOver) return
    if (!this.#isSpeaking) {
      this.#isSpeaking = true
      this.#emit('output_audio_buffer.started', { response_id: this.id })
      this.#options.onSpeaking(true)
    }
    const words = this.#words
    this.#words = ''
    this.#options.call.speaker.say(this.#message.id, samplesOf(pcm), words === '' ? undefined : words)
  }

  words(upstreamItemId: string, delta: string, spoken: boolean): void {
    this.began(upstreamItemId)
    const message = this.#message
    const [content] = message?.content ?? []
    if (!message || !content || this.isOver) return
    if (spoken) this.#words += delta
    if (content.type === 'output_audio') content.transcript += delta
    else if (content.type === 'output_text') content.text += delta
    const kind = content.type === 'output_audio' ? 'output_audio_transcript' : 'output_text'
    this.#emit(`response.${kind}.delta`, { ...this.#contentPosition(message), delta })
  }

  functionCall({ itemId, callId, name, arguments: text }: FunctionCall): void {
    if (this.isOver) return
    const call: ConversationItem = {
      id: newId('item'),
      type: 'function_call',
      status: 'in_progress',
      content: [],
      call_id: callId,
      name,
      arguments: text,
    }
    this.#add(call, itemId)
    const at = { ...this.#outputAt(call), item_id: call.id, call_id: callId }
    this.#emit('response.function_call_arguments.delta', { ...at, delta: text })
    this.#emit('response.function_call_arguments.done', { ...at, name, arguments: text })
    this.#done(call, 'completed')
  }

  finished(end: RealtimeEnd): void {
    this.#end ??= end
    this.#finished.resolve(this.#end)
  }

  /** Call when the session is over, so that the cost of the answer is not known. */
  broke(error: UpstreamError): void {
    this.finished({ status: 'failed', error })
  }

  // The step and the end of the response

  async #ask(): Promise<void> {
    const { call, link, model, worst } = this.#options
    let step: OpenStep
    try {
      step = await call.money.step({ kind: 'response', model: model.id, worst })
    } catch (error) {
      this.#failure = asFailure(error)
      return
    }
    if (this.isOver || !link.isOpen) {
      step.done(noCost, { quantities: {} })
      if (!this.isOver) this.#end = { status: 'failed' }
      return
    }
    this.#isAsked = true
    link.respond()
    this.#charge(step, await this.#finished.promise)
  }

  #charge(step: OpenStep, { usage, error, status, hasOutput }: RealtimeEnd): void {
    const { model, worst, most, onDisbelieved } = this.#options
    const of = { model: model.id }
    if (error) this.#failure = failureOf(error)
    const discarded = this.#status === 'cancelled' && !this.#message
    const made = { status, hasOutput: hasOutput || this.#output.length > 0 }
    if (usage && !isCounted(usage, made)) {
      step.done(limitCost(worst, of), { quantities: {} }, { discarded })
      onDisbelieved({ claimed: claimOf(usage, most).claimed, believed: most })
    } else if (usage) {
      const quantities = quantitiesOf(usage, most)
      step.done(costOf(usage, model, worst), { quantities }, { discarded })
      this.#check(usage)
    } else if (error && !error.executed) step.done(noCost, { quantities: {} })
    // The upstream may have made the response, and its cost is not reported.
    else step.done(limitCost(worst, of), { quantities: {}, ambiguous: status === 'failed' }, { discarded })
  }

  #check(usage: RealtimeUsage): void {
    const { most, onDisbelieved } = this.#options
    const { claimed, believed } = claimOf(usage, most)
    if (claimed.input > believed.input || claimed.output > believed.output)
      onDisbelieved({ claimed, believed })
  }

  /** Resolves when the last of the response has been heard, or was cut. */
  async whenHeard(): Promise<void> {
    if (this.isOver) return
    const message = this.#message
    if (message && this.#isSpeaking) {
      this.#options.onSaid(textOf(message))
      await this.#options.call.speaker.finish(message.id)
    }
    if (this.isOver) return
    const status = this.#failure ? 'failed' : (this.#end?.status ?? 'failed')
    this.#finish(status === 'cancelled' ? 'incomplete' : status)
  }

  #truncate(): void {
    const message = this.#message
    if (!message || !this.#isSpeaking) return
    const { call, link } = this.#options
    const cut = call.speaker.cut()
    const isHeard = cut?.itemId === message.id
    const playedMs = isHeard ? Math.round(cut.playedMs) : 0
    message.content = [{ type: 'output_audio', transcript: isHeard ? cut.heard : '' }]
    link.truncate(message.id, playedMs)
    this.#emit('output_audio_buffer.cleared', { response_id: this.id })
    this.#emit('conversation.item.truncated', {
      item_id: message.id,
      content_index: 0,
      audio_end_ms: playedMs,
    })
  }

  get #isSpoken(): boolean {
    const { responseOptions, call } = this.#options
    return (responseOptions.modalities ?? call.session.modalities).includes('audio')
  }

  #add(item: ConversationItem, upstreamItemId: string): void {
    const { call, link } = this.#options
    this.#output.push(item)
    link.recordItem(item.id, upstreamItemId)
    this.#emit('response.output_item.added', { ...this.#outputAt(item), item })
    call.conversation.add(item)
  }

  #done(item: ConversationItem, status: ConversationItem['status']): void {
    item.status = status
    this.#emit('response.output_item.done', { ...this.#outputAt(item), item })
    this.#options.call.conversation.done(item.id)
  }

  #finish(status: AnswerStatus, reason?: CancelReason): void {
    this.#status = status
    if (this.#isSpeaking) this.#options.onSpeaking(false)
    if (this.#message) this.#endMessage(this.#message)
    if (this.#isSpeaking && status !== 'cancelled')
      this.#emit('output_audio_buffer.stopped', { response_id: this.id })
    this.#emit('response.done', { response: this.#object(reason) })
  }

  #endMessage(message: ConversationItem): void {
    const at = this.#contentPosition(message)
    if (message.content[0]?.type === 'output_audio') {
      this.#emit('response.output_audio.done', at)
      this.#emit('response.output_audio_transcript.done', { ...at, transcript: textOf(message) })
    } else this.#emit('response.output_text.done', { ...at, text: textOf(message) })
    this.#emit('response.content_part.done', { ...at, part: partOf(message) })
    this.#done(message, this.#status === 'completed' ? 'completed' : 'incomplete')
  }

  #outputAt(item: ConversationItem) {
    return { response_id: this.id, output_index: this.#output.indexOf(item) }
  }

  #contentPosition(item: ConversationItem) {
    return { ...this.#outputAt(item), item_id: item.id, content_index: 0 }
  }

  #object(reason?: CancelReason) {
    const { responseOptions, call } = this.#options
    return {
      object: 'realtime.response',
      id: this.id,
      status: this.#status,
      status_details: this.#details(reason),
      output: this.#output,
      conversation_id: `conv_${call.callId}`,
      output_modalities: responseOptions.modalities ?? call.session.modalities,
      max_output_tokens: responseOptions.maxOutputTokens ?? call.session.maxOutputTokens,
      usage: this.#end?.usage ? usageOf(this.#end.usage, this.#options.most) : null,
      metadata: responseOptions.metadata ?? null,
    }
  }

  #details(reason: CancelReason | undefined) {
    if (this.#status === 'cancelled') return { type: 'cancelled', reason }
    if (this.#status === 'incomplete') return { type: 'incomplete', reason: 'max_output_tokens' }
    return this.#failure
      ? { type: 'failed', error: errorObject(this.#failure, this.#options.language) }
      : null
  }

  #emit(type: string, fields: Record<string, unknown>): void {
    this.#options.call.emit({ type, ...fields })
  }
}

type FunctionCall = { itemId: string; callId: string; name: string; arguments: string }

function usageOf(usage: RealtimeUsage, most: TokenCounts) {
  const quantities = quantitiesOf(usage, most)
  const input = quantities['input_tokens']!
  const output = quantities['output_tokens']!
  return {
    total_tokens: input + output,
    input_tokens: input,
    output_tokens: output,
    input_token_details: {
      text_tokens: usage.textInput + usage.cachedTextInput,
      audio_tokens: usage.audioInput + usage.cachedAudioInput,
      image_tokens: usage.imageInput,
      cached_tokens: usage.cachedTextInput + usage.cachedAudioInput,
    },
    output_token_details: { text_tokens: usage.textOutput, audio_tokens: usage.audioOutput },
  }
}
