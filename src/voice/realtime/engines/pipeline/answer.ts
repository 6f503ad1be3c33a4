/** One response of a call: the text model writes, its words are spoken as they come, and its tool calls are sent to the client. */
import type { CallAgent } from '#core/call-agent'
import { type PaidTurn, prepareTurn, startPaidTurn, type TurnApp, worstCaseOf } from '#core/inference'
import type { AnswerPart, FinishReason, Usage } from '#core/turn'
import { asFailure, Failure, type Language } from '#platform/errors'
import type { LiveCall } from '#voice/live-speech'
import { newId } from '../../events/server-events.ts'
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
import { ClientCalls } from './client-calls.ts'
import { toolsOf } from './hosted.ts'
import { HostedCalls } from './hosted-calls.ts'
import type { Knowledge } from './knowledge.ts'
import type { PipelineModels } from './models.ts'
import { AnswerOutput } from './output.ts'
import { questionOf } from './question.ts'
import { responseObject } from './response-object.ts'
import { spokenLanguage, waitingSentence } from './sentences.ts'
import type { PipelineSettings } from './settings.ts'
import { AnswerSpeech } from './voicing.ts'
import { withinStep } from './within-step.ts'

export interface PipelineAnswerOptions {
  app: TurnApp
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
  readonly #output: AnswerOutput
  /** The calls of tools that the client runs. */
  readonly #calls: ClientCalls
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
    const { call, responseOptions, onItem } = options
    const isKept = responseOptions.conversation !== 'none'
    this.#output = new AnswerOutput({ id: this.id, call, isKept, onItem })
    this.#calls = new ClientCalls(this.#output)
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
      // The tool calls are completed before the speech beside them has been heard, so that the client can begin.
      if (!this.isOver) this.#calls.complete()
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
    const turn = await questionOf(this.#options, this.#isSpoken)
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
    else if (part.type === 'tool-call') this.#calls.began(part)
    else if (part.type === 'tool-arguments') this.#calls.addArguments(part)
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
    if (content?.type === 'output_audio') {
      content.transcript += delta
      this.#output.emitContent('response.output_audio_transcript.delta', message, { delta })
    } else if (content?.type === 'output_text') {
      content.text += delta
      this.#output.emitContent('response.output_text.delta', message, { delta })
    }
  }

  #openMessage(): ConversationItem {
    const message = emptyMessage()
    this.#message = message
    this.#output.add(message)
    message.content = emptyContent(this.#isSpoken)
    this.#output.emitContent('response.content_part.added', message, { part: partOf(message) })
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
      add: (item) => this.#output.add(item, this.#message),
      done: (item, status) => this.#output.done(item, status),
      emit: (type, item, fields) => this.#output.emit(type, item, fields),
      isQuiet: () => !call.speaker.isPlaying && !this.#speech?.isBusy,
      ...(this.#isSpoken && { keepWaiting }),
    })
  }

  #end(status: AnswerStatus, reason?: CancelReason): void {
    if (this.isOver) return
    this.#status = status
    this.#hosted.stop()
    if (this.#speech) this.#options.onSpeaking(false)
    if (this.#message) this.#endMessage(this.#message)
    this.#calls.stop()
    if (this.#speech && status !== 'cancelled')
      this.#emit('output_audio_buffer.stopped', { response_id: this.id })
    this.#emit('response.done', { response: this.#object(reason) })
  }

  #endMessage(message: ConversationItem): void {
    const output = this.#output
    const text = textOf(message)
    if (this.#speech) {
      output.emitContent('response.output_audio.done', message)
      output.emitContent('response.output_audio_transcript.done', message, { transcript: text })
    } else output.emitContent('response.output_text.done', message, { text })
    output.emitContent('response.content_part.done', message, { part: partOf(message) })
    output.done(message, this.#status === 'completed' ? 'completed' : 'incomplete')
  }

  #object(reason?: CancelReason) {
    const { items: output, isKept } = this.#output
    return responseObject(
      {
        ...{ id: this.id, status: this.#status, reason, output, isKept },
        ...{ finishReason: this.#finishReason, failure: this.#failure, usage: this.#usage },
      },
      this.#options,
    )
  }

  #emit(type: string, fields: Record<string, unknown>): void {
    this.#options.call.emit({ type, ...fields })
  }
}
