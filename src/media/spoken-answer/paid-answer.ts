/**
 * Holds the worst case of all three calls, makes them one after the other, and settles them as one: the sound is stored and charged, or nothing is
 * charged.
 */
import { callModel, failureOf, type ModelCallResult, type TurnApp, worstCaseOf } from '#core/inference'
import {
  type AudioModel,
  type Cost,
  costOfStep,
  type Model,
  noCost,
  readCost,
  storedCost,
  sumCosts,
  type TranscriptionModel,
} from '#core/models'
import {
  answerHeadersDetail,
  type PaidCall,
  type PaidRequestResult,
  type SettledPart,
  SharedHold,
  type StoredResult,
  totalQuantities,
} from '#core/paid'
import { formatMediaType } from '#core/sound'
import { UpstreamError } from '#core/spec'
import {
  type PaidSpeech,
  reserveForSpeech,
  type SpeechSpec,
  type StoredSpeech,
  startPaidSpeech,
} from '#media/speech'
import {
  type OpenedRecording,
  type PaidTranscription,
  startPaidTranscription,
  type Transcript,
  type TranscriptionSpec,
} from '#media/transcription'
import { Failure } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import type { Settlement, SettlementResult } from '#platform/ledger'
import type { TraceContext } from '#platform/trace'
import { boundOfQuestion, questionOf, speakablePart, worstCaseAnswer } from './question.ts'

export interface SpokenAnswerOptions extends PaidCall {
  /** The model that speaks; the two other models make the text. */
  model: AudioModel
  writer: Model
  transcriber: TranscriptionModel
  recording: OpenedRecording
  /** What to do with the recording; if absent, the recording is answered. */
  instruction: string | undefined
  /** How the answer is spoken; its one line has no text yet. */
  spec: SpeechSpec
  trace: TraceContext
}

/** The part of `PaidSpeech` that a spoken answer has. */
export type SpokenAnswer = Pick<PaidSpeech, 'model' | 'mediaType' | 'spoken' | 'finish'>

/**
 * Refuses what one of the models cannot do, then reserves room and holds the worst case of all three. Throws as `startPaidSpeech` and
 * `startPaidTranscription` do.
 */
export async function startSpokenAnswer(app: TurnApp, options: SpokenAnswerOptions): Promise<SpokenAnswer> {
  const { writer, spec, recording, instruction } = options
  const { seconds } = recording.recording.measured
  const worstCaseOptions = { ...options, spec: withText(spec, worstCaseAnswer), trace: undefined }
  const turn = boundOfQuestion(writer, { seconds, instruction })
  const writerWorstCase = worstCaseOf(app, {
    model: writer,
    turn,
    allowed: options.caller.models,
  }).microcredits
  const { result, held } = await reserveForSpeech(app, worstCaseOptions, async (spoken) => {
    const heard = await startTranscription(app, options, writerWorstCase + spoken)
    options.trace.begin()
    return heard
  })
  return new PaidSpokenAnswer({ app, options, room: result, ...held })
}

const withText = (spec: SpeechSpec, text: string): SpeechSpec => ({
  ...spec,
  lines: spec.lines.map((line) => ({ ...line, text })),
})

/** Starts the transcription, the first of the calls, which takes the hold for all of them: its own worst case, and `others`. */
async function startTranscription(
  app: TurnApp,
  { transcriber, recording, spec, ...options }: SpokenAnswerOptions,
  others: bigint,
): Promise<{ hold: SharedHold; hearing: PaidTranscription }> {
  const hold = new SharedHold(app.ledger, {
    model: options.model.id,
    otherCallsMicrocredits: others,
    parts: 3,
  })
  const heardSpec: TranscriptionSpec = {
    timestamps: 'none',
    where: (setting) => (setting === 'model' ? 'model' : spec.where('task')),
  }
  const hearing = await startPaidTranscription(app, {
    ...options,
    ...{ model: transcriber, recording, spec: heardSpec, trace: undefined },
    part: hold.part(uuidv7(app.clock.nowMs())),
  })
  return { hold, hearing }
}

interface SpokenAnswerParts {
  app: TurnApp
  options: SpokenAnswerOptions
  room: StoredResult
  hold: SharedHold
  hearing: PaidTranscription
}

class PaidSpokenAnswer implements SpokenAnswer {
  readonly #parts: SpokenAnswerParts
  #transcript: Transcript | undefined
  #written: ModelCallResult | undefined
  #speech: PaidSpeech | undefined
  readonly mediaType: string

  constructor(parts: SpokenAnswerParts) {
    this.#parts = parts
    this.mediaType = formatMediaType(parts.options.spec.format)
  }

  get model(): AudioModel {
    return this.#speech?.model ?? this.#parts.options.model
  }

  async spoken(): Promise<StoredSpeech> {
    const { hearing, hold } = this.#parts
    this.#transcript = await hearing.transcript()
    const written = await this.#write(this.#transcript)
    hold.spend(written.billed.cost.microcredits)
    if (written.failure) throw written.failure
    const text = speakablePart(written.text)
    if (text === '') throw failureOf(new UpstreamError('malformed', { detail: 'an answer without text' }))
    const speech = await this.#speak(text)
    const spoken = await speech.spoken()
    const sum = (figure: 'input' | 'output'): number =>
      this.#transcript!.tokens[figure] + written.usage[figure] + spoken.tokens[figure]
    return {
      ...spoken,
      tokens: { input: sum('input'), output: sum('output') },
      microcredits: this.#transcript.microcredits + written.cost.microcredits + spoken.microcredits,
      transcript: text,
    }
  }

  async #write({ text, seconds }: Transcript): Promise<ModelCallResult> {
    const { app, options } = this.#parts
    const { writer, instruction, caller, trace, receivedMs } = options
    this.#written = await callModel(app, {
      model: writer,
      turn: questionOf(writer, { text, seconds, instruction }),
      payer: caller,
      allowed: caller.models,
      callId: uuidv7(app.clock.nowMs()),
      gone: neverAborted,
      trace,
      beganMs: receivedMs,
    })
    return this.#written
  }

  async #speak(text: string): Promise<PaidSpeech> {
    const { app, options, hold, room } = this.#parts
    this.#speech = await startPaidSpeech(app, {
      ...options,
      spec: withText(options.spec, text),
      ...{ room, trace: undefined, gone: neverAborted },
      part: hold.part(uuidv7(app.clock.nowMs())),
    })
    return this.#speech
  }

  /** Settles every call into the one hold; where one has failed, the cost of the others is the platform's loss. */
  async finish({
    statusCode,
    failure,
    reply,
  }: Parameters<PaidSpeech['finish']>[0]): Promise<PaidRequestResult> {
    const { hearing, room, options } = this.#parts
    const isKept = failure?.code === 'SOUND_KEPT_AS_FILE'
    const lost = isKept ? undefined : failure
    await hearing.finish({ statusCode, ...(lost && { failure: lost }) })
    const end = { statusCode, ...(failure && { failure }), ...(reply !== undefined && { reply }) }
    if (this.#speech) await this.#speech.finish(end)
    else await room.release()
    const settlement = this.#settlementOf(statusCode, lost)
    const settled = await this.#settle(settlement, lost)
    options.trace.settled({
      model: this.model.id,
      charged_microcredits: String(settled.chargedMicrocredits),
    })
    const isFree = settlement.freeClaim === true
    return { ...settled, keepsClaim: options.claim !== undefined && !isFree, wasOrdered: !isFree }
  }

  /** Settles the hold. Throws RESULT_NOT_STORED where that could not be committed, after it was settled as lost. */
  async #settle(settlement: Settlement, failure: Failure | undefined): Promise<SettlementResult> {
    const { hold, app } = this.#parts
    if (failure) return hold.settle(settlement, { writes: false })
    try {
      return await hold.settle(settlement, { writes: true })
    } catch (cause) {
      app.log.error({ err: cause }, 'a paid answer could not be committed')
      const notStored = new Failure('RESULT_NOT_STORED', {}, { executed: true, cause })
      const lost = { lostMicrocredits: settlement.microcredits, statusCode: notStored.status }
      const detail = { ...settlement.detail, files: [], charge: [], error_code: notStored.code }
      const end = { ...settlement, ...lost, detail, state: 'failed' as const, reply: undefined }
      await hold.settle(end, { writes: false })
      throw notStored
    }
  }

  #settlementOf(statusCode: number, failure: Failure | undefined): Settlement {
    const [heard, spoke] = this.#parts.hold.settled as [SettledPart, SettledPart?]
    const ends = [heard, spoke].flatMap((part) => part?.settlement ?? [])
    const microcredits = ends.reduce(
      (sum, end) => sum + end.microcredits,
      this.#written?.billed.cost.microcredits ?? 0n,
    )
    const last = ends.at(-1)!
    return {
      microcredits,
      lostMicrocredits: failure ? microcredits : 0n,
      withinHold: true,
      state: failure ? 'failed' : 'completed',
      statusCode: spoke ? last.statusCode : statusCode,
      model: this.model.id,
      tokens: this.#tokensOf(ends),
      quantities: totalQuantities(ends.flatMap(({ quantities }) => (quantities ? [quantities] : []))),
      detail: this.#detailOf(ends, failure),
      ...(last.reply !== undefined && { reply: last.reply }),
      freeClaim: heard.settlement.freeClaim === true && !this.#written,
      urgent: this.#parts.options.claim !== undefined,
    }
  }

  #tokensOf(ends: readonly Settlement[]): NonNullable<Settlement['tokens']> {
    const written = this.#written?.billed.usage
    const all = [...ends.map(({ tokens }) => tokens), written]
    const sum = (figure: 'input' | 'cachedInput' | 'output' | 'reasoning'): number =>
      all.reduce((total, tokens) => total + (tokens?.[figure] ?? 0), 0)
    return {
      input: sum('input'),
      cachedInput: sum('cachedInput'),
      output: sum('output'),
      reasoning: sum('reasoning'),
    }
  }

  #costOf(heard: Settlement | undefined, spoke: Settlement | undefined): Cost {
    const written = costOfStep(this.#written?.cost ?? noCost, 'text')
    return sumCosts([settledCost('transcription', heard), written, settledCost('speech', spoke)])
  }

  /** The detail of the receipt, which explains each of the three calls: its model, its work, and its cost. */
  #detailOf([heard, spoke]: readonly Settlement[], failure: Failure | undefined): Record<string, unknown> {
    const written = this.#written
    const parts = [
      receiptPart('transcription', heard!),
      ...(written
        ? [
            {
              part: 'text',
              model: written.model,
              microcredits: String(written.billed.cost.microcredits),
              tokens: { input: written.billed.usage.input, output: written.billed.usage.output },
              usage_source: written.billed.usageSource,
              attempts: written.attempts,
            },
          ]
        : []),
      ...(spoke ? [receiptPart('speech', spoke)] : []),
    ]
    const files = [spoke, heard].flatMap((end) => (end?.detail?.['files'] as string[] | undefined) ?? [])
    const last = spoke?.detail ?? heard!.detail!
    const { app, options } = this.#parts
    return {
      outcome: failure ? 'failed' : last['outcome'],
      ...(files.length > 0 && !failure && { files }),
      ...(spoke?.detail?.['sound'] !== undefined && { sound: spoke.detail['sound'] }),
      parts,
      attempts: parts.flatMap(({ attempts }) => attempts),
      charge: storedCost(failure ? noCost : this.#costOf(heard, spoke), this.model.id),
      total_ms: app.clock.nowMs() - options.receivedMs,
      ...answerHeadersDetail(options, (spoke ?? heard)?.reply),
      ...(failure && { error_code: failure.code }),
    }
  }
}

/** The cost that a call has settled within the shared hold, as that of a step of the request. */
const settledCost = (step: 'transcription' | 'speech', settled: Settlement | undefined): Cost =>
  costOfStep(readCost(settled?.detail?.['charge'], settled?.model ?? null) ?? noCost, step)

function receiptPart(part: 'transcription' | 'speech', { model, microcredits, detail = {} }: Settlement) {
  const {
    attempts = [],
    recording,
    sound,
    usage_source,
  } = detail as {
    attempts?: readonly unknown[]
    recording?: unknown
    sound?: unknown
    usage_source?: unknown
  }
  const what = { ...(recording !== undefined && { recording }), ...(sound !== undefined && { sound }) }
  return { part, model, microcredits: String(microcredits), ...what, usage_source, attempts }
}

/** The calls after the first are made even if the caller leaves: without them the first one would be lost. */
const neverAborted = new AbortController().signal
