/** One response of a call: the text model writes, its words are spoken as they come, and its tool calls are sent to the client. */
import type { App } from '#app'
import type { CallAgent } from '#core/call-agent'
import { type PaidTurn, prepareTurn, startPaidTurn, worstCaseOf } from '#core/inference'
import type { AnswerPart, FinishReason, Usage } from '#core/turn'
import { asFailure, Failure, type Language } from '#platform/errors'
import type { LiveCall } from '#voice/live-speech'
import { errorObject, newId } from '../../events/server-events.ts'
import type { CallView, ConversationItem, ResponseOptions } from '../../parts.ts'
import {
  type AnswerStatus,
  type CancelReason,
  emptyContent,
  emptyMessage,
  partOf,
  textOf,
} from '../spoken-answer.ts'
import { Clauses } from './clauses.ts'
import { hostedOf, toolsOf } from './hosted.ts'
import { HostedCalls } from './hosted-calls.ts'
import type { Knowledge } from './knowledge.ts'
import type { PipelineModels } from './models.ts'
import { turnOf } from './prompt.ts'
import { spokenLanguage, waitingSentence } from './sentences.ts'
import type { PipelineSettings } from './settings.ts'
import { AnswerSpeech } from './voicing.ts'
import { withinStep } from './within-step.ts'

export interface PipelineAnswerOptions {
  app: App
  call: CallView
  live: Omit<LiveCall, 'signal'>
  models: PipelineModels
  settings: PipelineSettings
  agent: CallAgent | undefined
  knowledge: Knowledge | undefined
  language: Language
  responseOptions: ResponseOptions
  /** A text that is spoken as it stands; no model is asked. */
  script?: string | undefined
  /** Called when its sound begins and stops being heard. */
  onSpeaking: (isSpeaking: boolean) => void
  /** Receives the whole text of the answer. */
  onSaid: (text: string) => void
  /** Called with each item that became part of the conversation. */
  onItem: (id: string) => void
}

export class PipelineAnswer {
  readonly id = newId('resp')
  readonly #options: PipelineAnswerOptions
  readonly #stop = new AbortController()
  readonly #clauses = new Clauses()
  readonly #output: ConversationItem[] = []
  /** The tool calls, by their index in the answer. */
  readonly #calls = new Map<number, ConversationItem>()
  /** The calls of tools that run on this server. */
  readonly #hosted: HostedCalls
  #message: ConversationItem | undefined
  /** The next text begins a new sentence. */
  #isApart = false
  #speech: AnswerSpeech | undefined
  #paid: PaidTurn | undefined
  #usage: Usage | undefined
  #finishReason: FinishReason | undefined
  #isWritten = false
  #status: AnswerStatus = 'in_progress'
  #failure: Failure | undefined

  constructor(options: PipelineAnswerOptions) {
    this.#options = options
    this.#hosted = this.#openHosted()
  }

  get isOver(): boolean {
    return this.#status !== 'in_progress'
  }
  /** Whether all text is written: then only the waiting text is spoken to its end. */
  get isWritten(): boolean {
    return this.#isWritten
  }
  get isScripted(): boolean {
    return this.#options.script !== undefined
  }
  get isCancelled(): boolean {
    return this.#status === 'cancelled'
  }
  /** The reason for which it failed, where it was not cancelled. */
  get failure(): Failure | undefined {
    return this.isCancelled ? undefined : this.#failure
  }
  get #isSpoken(): boolean {
    const { responseOptions, call } = this.#options
    return (responseOptions.modalities ?? call.session.modalities).includes('audio')
  }

  /** Call once. Resolves when every step of the answer is done; never rejects. */
  async run(): Promise<void> {
    this.#emit('response.created', { response: this.#object() })
    try {
      const { script } = this.#options
      if (script === undefined) await this.#write()
      else this.#recite(script)
      this.#isWritten = true
      for (const piece of this.#clauses.end()) this.#speech?.say(piece)
      this.#endCalls()
      if (this.#message) this.#options.onSaid(textOf(this.#message))
    } catch (error) {
      this.#failure = this.#failureOf(error)
    }
    await this.#speech?.whenHeard()
    this.#failure ??= this.#speech?.failure
    const isCut = this.#finishReason === 'length' || this.#finishReason === 'content_filter'
    this.#end(this.#failure ? 'failed' : isCut ? 'incomplete' : 'completed')
  }

  #failureOf(error: unknown): Failure {
    const { app, call } = this.#options
    if (!(error instanceof Failure)) app.log.error({ err: error, call_id: call.callId }, 'an answer broke')
    return asFailure(error)
  }

  /** Silences the answer at once; the conversation keeps the part that was heard. Its steps are done when `run` resolves. */
  cancel(reason: CancelReason): void {
    if (this.isOver) return
    this.#stop.abort()
    this.#paid?.leave()
    this.#truncate()
    this.#end('cancelled', reason)
  }

  #truncate(): void {
    const { call } = this.#options
    const cut = this.#speech && call.speaker.cut()
    const message = this.#message
    if (!this.#speech || !message) return
    const isHeard = cut?.itemId === message.id
    message.content = [{ type: 'output_audio', transcript: isHeard ? cut.heard : '' }]
    this.#emit('output_audio_buffer.cleared', { response_id: this.id })
    const audioEndMs = isHeard ? Math.round(cut.playedMs) : 0
    this.#emit('conversation.item.truncated', {
      item_id: message.id,
      content_index: 0,
      audio_end_ms: audioEndMs,
    })
  }

  async #write(): Promise<void> {
    const { app, call, live, models, agent } = this.#options
    const model = models.text
    const turn = await this.#turn()
    if (this.isOver) return
    const tools = toolsOf(app, agent)
    const whole = prepareTurn(app, { model, turn, tools })
    const worst = worstCaseOf(app, { model, turn: whole, allowed: live.caller.models }).microcredits
    await withinStep(call.money, { kind: 'text', model: model.id, worst }, async (step) => {
      const { caller, endpoint, trace } = live
      const receivedMs = app.clock.nowMs()
      const paid = await startPaidTurn(app, {
        ...{ caller, endpoint, trace, receivedMs, model, turn, tools },
        ...{ requestId: step.stepId, part: step.part, showsReasoning: false },
      })
      this.#paid = paid
      if (this.isOver) paid.leave()
      const failure = await this.#read(paid)
      if (!failure) await paid.bill()
      this.#usage = paid.usage()
      await paid.finish({ statusCode: failure?.status ?? 200, ...(failure && { failure }) })
      // An interruption does not count as a failure.
      if (!this.isOver) this.#failure = failure
      const { input, output } = this.#usage
      return { result: undefined, line: { quantities: { input_tokens: input, output_tokens: output } } }
    })
  }

  /** The question to the model. */
  async #turn() {
    const { call, models, settings, responseOptions, agent, knowledge } = this.#options
    const { session } = call
    const items = this.#input
    const tools = responseOptions.tools ?? session.tools
    const told = responseOptions.instructions ?? session.instructions
    return turnOf(
      {
        items,
        passages: await knowledge?.passagesFor(items),
        instructions: [settings.instructions ?? '', agent?.instructions ?? '', told],
        isSpoken: this.#isSpoken,
        tools,
        hosted: hostedOf(
          agent,
          responseOptions.tools ? (responseOptions.hosted ?? []) : session.hosted,
          tools,
        ),
        toolChoice: responseOptions.toolChoice ?? session.toolChoice,
        maxOutputTokens: responseOptions.maxOutputTokens ?? session.maxOutputTokens,
      },
      models.text,
    )
  }

  /** The conversation, or the items that the request gives in its place. */
  get #input(): readonly ConversationItem[] {
    const { responseOptions, call } = this.#options
    if (!responseOptions.input) return call.conversation.items
    return responseOptions.input.flatMap((one) =>
      typeof one === 'string' ? (call.conversation.get(one) ?? []) : one,
    )
  }

  async #read(paid: PaidTurn): Promise<Failure | undefined> {
    const ended = Promise.withResolvers<Failure | undefined>()
    paid.start({
      part: (part) => {
        if (!this.isOver) this.#part(part)
      },
      flush: () => undefined,
      done: () => ended.resolve(undefined),
      failed: (failure) => ended.resolve(failure),
    })
    return ended.promise
  }

  #part(part: AnswerPart): void {
    if (part.type === 'text' || part.type === 'refusal') this.#text(part.text)
    else if (part.type === 'tool-call') this.#openCall(part)
    else if (part.type === 'tool-arguments') this.#addArguments(part)
    else if (part.type === 'hosted-call') this.#useTool(part)
    else if (part.type === 'hosted-result') this.#hosted.ended(part)
    else if (part.type === 'finish') this.#finishReason = part.reason
  }

  #text(delta: string): void {
    this.#show(delta)
    for (const piece of this.#clauses.write(delta)) this.#speech?.say(piece)
  }

  /** Speaks a sentence of the call itself, in one piece. */
  #recite(sentence: string): void {
    this.#sayRest()
    this.#show(sentence)
    this.#speech?.say(sentence)
    this.#isApart = true
  }

  #show(written: string): void {
    const delta = this.#isApart && written !== '' && textOf(this.#message) !== '' ? ` ${written}` : written
    this.#isApart = false
    const message = this.#message ?? this.#openMessage()
    const [content] = message.content
    const at = this.#contentPosition(message)
    if (content?.type === 'output_audio') {
      content.transcript += delta
      this.#emit('response.output_audio_transcript.delta', { ...at, delta })
    } else if (content?.type === 'output_text') {
      content.text += delta
      this.#emit('response.output_text.delta', { ...at, delta })
    }
  }

  #openMessage(): ConversationItem {
    const message = emptyMessage()
    this.#message = message
    this.#add(message)
    message.content = emptyContent(this.#isSpoken)
    this.#emit('response.content_part.added', { ...this.#contentPosition(message), part: partOf(message) })
    if (this.#isSpoken) this.#speech = this.#openSpeech(message.id)
    return message
  }

  #openSpeech(itemId: string): AnswerSpeech {
    const { app, call, live, models, settings } = this.#options
    const { voices, takesOtherVoices } = models.speech.audio
    const isKnown = (name: string): boolean =>
      takesOtherVoices || voices.some((one) => one.id === name || one.name === name)
    return new AnswerSpeech({
      ...{ app, call, itemId, model: models.speech },
      live: { ...live, signal: this.#stop.signal },
      // Clients may send names of their vendor's voices, which are skipped.
      voice: [call.session.voice, settings.voice].find((name) => name !== undefined && isKnown(name)),
      speed: call.session.speed,
      onSound: () => {
        this.#emit('output_audio_buffer.started', { response_id: this.id })
        this.#options.onSpeaking(true)
      },
    })
  }

  #useTool(part: Extract<AnswerPart, { type: 'hosted-call' }>): void {
    // The text before the tool call is spoken while the tool runs.
    this.#sayRest()
    this.#hosted.began(part)
  }

  #sayRest(): void {
    for (const piece of this.#clauses.end()) this.#speech?.say(piece)
    this.#isApart = true
  }

  #openHosted(): HostedCalls {
    const { call, language } = this.#options
    const keepWaiting = (said: number): void =>
      this.#recite(waitingSentence(spokenLanguage(call, language), said))
    return new HostedCalls({
      add: (item) => this.#add(item, this.#message),
      done: (item, status) => this.#done(item, status),
      emit: (type, item, fields) =>
        this.#emit(type, { ...this.#outputAt(item), item_id: item.id, ...fields }),
      isQuiet: () => !call.speaker.isPlaying && !this.#speech?.isBusy,
      ...(this.#isSpoken && { keepWaiting }),
    })
  }

  #openCall({ index, id, name }: Extract<AnswerPart, { type: 'tool-call' }>): void {
    const call: ConversationItem = {
      id: newId('item'),
      type: 'function_call',
      status: 'in_progress',
      content: [],
      call_id: id,
      name,
      arguments: '',
    }
    this.#calls.set(index, call)
    this.#add(call)
  }

  #addArguments({ index, delta }: Extract<AnswerPart, { type: 'tool-arguments' }>): void {
    const call = this.#calls.get(index)
    if (!call) return
    call.arguments += delta
    this.#emit('response.function_call_arguments.delta', { ...this.#callAt(call), delta })
  }

  /** Completes the tool calls before the speech beside them has been heard, so that the client can begin. */
  #endCalls(): void {
    if (this.isOver) return
    for (const call of this.#calls.values()) {
      this.#emit('response.function_call_arguments.done', {
        ...this.#callAt(call),
        name: call.name,
        arguments: call.arguments,
      })
      this.#done(call, 'completed')
    }
  }

  /** Adds an output item. `before` is the message that the caller hears last, for which the tool was used. */
  #add(item: ConversationItem, before?: ConversationItem): void {
    this.#output.push(item)
    this.#emit('response.output_item.added', { ...this.#outputAt(item), item })
    if (!this.#isKept) return
    const { conversation } = this.#options.call
    const at = before ? conversation.items.indexOf(before) : -1
    conversation.add(item, at < 0 ? undefined : (conversation.items[at - 1]?.id ?? 'root'))
    this.#options.onItem(item.id)
  }

  #done(item: ConversationItem, status: ConversationItem['status']): void {
    item.status = status
    this.#emit('response.output_item.done', { ...this.#outputAt(item), item })
    if (this.#isKept) this.#options.call.conversation.done(item.id)
  }

  get #isKept(): boolean {
    return this.#options.responseOptions.conversation !== 'none'
  }

  #outputAt(item: ConversationItem) {
    return { response_id: this.id, output_index: this.#output.indexOf(item) }
  }
  #callAt(item: ConversationItem) {
    return { ...this.#outputAt(item), item_id: item.id, call_id: item.call_id }
  }
  #contentPosition(item: ConversationItem) {
    return { ...this.#outputAt(item), item_id: item.id, content_index: 0 }
  }

  #end(status: AnswerStatus, reason?: CancelReason): void {
    if (this.isOver) return
    this.#status = status
    this.#hosted.stop()
    if (this.#speech) this.#options.onSpeaking(false)
    if (this.#message) this.#endMessage(this.#message)
    for (const call of this.#calls.values()) if (call.status === 'in_progress') this.#done(call, 'incomplete')
    if (this.#speech && status !== 'cancelled')
      this.#emit('output_audio_buffer.stopped', { response_id: this.id })
    this.#emit('response.done', { response: this.#object(reason) })
  }

  #endMessage(message: ConversationItem): void {
    const at = this.#contentPosition(message)
    if (this.#speech) {
      this.#emit('response.output_audio.done', at)
      this.#emit('response.output_audio_transcript.done', { ...at, transcript: textOf(message) })
    } else this.#emit('response.output_text.done', { ...at, text: textOf(message) })
    this.#emit('response.content_part.done', { ...at, part: partOf(message) })
    this.#done(message, this.#status === 'completed' ? 'completed' : 'incomplete')
  }

  #object(reason?: CancelReason) {
    const { responseOptions, call } = this.#options
    const { session, callId } = call
    return {
      object: 'realtime.response',
      id: this.id,
      status: this.#status,
      status_details: this.#details(reason),
      output: this.#output,
      conversation_id: this.#isKept ? `conv_${callId}` : null,
      output_modalities: responseOptions.modalities ?? session.modalities,
      max_output_tokens: responseOptions.maxOutputTokens ?? session.maxOutputTokens,
      usage: this.#usage ? usageOf(this.#usage) : null,
      metadata: responseOptions.metadata ?? null,
    }
  }

  #details(reason: CancelReason | undefined) {
    if (this.#status === 'cancelled') return { type: 'cancelled', reason }
    if (this.#status === 'incomplete')
      return {
        type: 'incomplete',
        reason: this.#finishReason === 'length' ? 'max_output_tokens' : 'content_filter',
      }
    return this.#failure
      ? { type: 'failed', error: errorObject(this.#failure, this.#options.language) }
      : null
  }

  #emit(type: string, fields: Record<string, unknown>): void {
    this.#options.call.emit({ type, ...fields })
  }
}

const usageOf = ({ input, cachedInput, output }: Usage) => ({
  total_tokens: input + output,
  input_tokens: input,
  output_tokens: output,
  input_token_details: { text_tokens: input, audio_tokens: 0, cached_tokens: cachedInput },
  output_token_details: { text_tokens: output, audio_tokens: 0 },
})
