/**
 * A paid transcription: room and worst case are held, each piece is sent at most once, and one whole transcript is stored and charged, or nothing is
 * charged.
 */
import type { App } from '#app'
import { failureOf } from '#core/inference'
import {
  billedSeconds,
  type TranscriptionModel,
  type TranscriptionUsage,
  transcriptionModels,
} from '#core/models'
import {
  claimsOfFigures,
  type FilledPart,
  maxAmount,
  orderCandidates,
  type PaidCall,
  type PaidOrder,
  type PaidRequestResult,
  StoredResult,
  startPaidOrder,
  totalQuantities,
} from '#core/paid'
import { pausesOf } from '#core/sound'
import type { TranscriptionResult } from '#core/spec'
import type { TranscriptionOrder } from '#core/turn'
import type { Failure } from '#platform/errors'
import { type Pause, type PieceSpan, planPieceSpans } from './cut.ts'
import { checkTranscript, maxTextLength, type PieceTranscript } from './heard.ts'
import { paidTokensOf } from './heard-tokens.ts'
import { Joiner } from './join.ts'
import { livePieces } from './live.ts'
import { type PieceFile, pieceOf } from './pieces.ts'
import { boundOf, liveSpans, orderOf, planTranscription, type TranscriptionPlan } from './plan.ts'
import { TranscriptPartQueue } from './progress.ts'
import { reservedBytes, transcriptFile, transcriptMediaType } from './transcript-file.ts'
import type {
  LiveSound,
  OpenedRecording,
  Transcript,
  TranscriptionSpec,
  TranscriptPart,
} from './transcription.ts'
import { TranscriptText } from './written.ts'

export interface PaidTranscriptionOptions extends PaidCall {
  model: TranscriptionModel
  spec: TranscriptionSpec
  recording: OpenedRecording | LiveSound
  /** The days for which the transcript is kept. Absent: the setting of the key, project or configuration. */
  keepDays?: number
}

export interface PaidTranscription {
  /** The model that transcribes; another one can take its place until it has begun. */
  readonly model: TranscriptionModel
  /**
   * Call once: transcribes the whole recording and stores the transcript, also when the caller disconnects meanwhile. Throws a `Failure` when a piece
   * was not filled or nothing could be stored. Await the result, then call `finish`.
   */
  transcript(): Promise<Transcript>
  /** The final parts as they come, while `transcript` runs; throws what `transcript` throws. A slow reader holds nothing up. */
  parts(): AsyncGenerator<TranscriptPart>
  /**
   * Settles: a stored transcript is charged by its usage; anything else is free. Resolves when file and charge are durable. Throws RESULT_NOT_STORED,
   * after it was settled as free.
   */
  finish(end: { statusCode: number; failure?: Failure; reply?: string }): Promise<PaidRequestResult>
}

/** A model, and how it gets the recording. */
interface PlannedTranscription {
  model: TranscriptionModel
  plan: TranscriptionPlan
  spans: readonly PieceSpan[]
  bound: TranscriptionUsage
}
interface TranscriptionCandidate extends PlannedTranscription {
  order: TranscriptionOrder
  piece: PieceFile
}

/** The most calls to the upstream at a time: their pieces stand in memory. */
const maxParallelCalls = 4

/**
 * Refuses what the model cannot transcribe (see `planTranscription`), reads the recording as far as it is converted, then reserves room and holds the
 * worst case. Throws `SoundError` for a recording that cannot be read, and what `Ledger.hold` throws.
 */
export async function startPaidTranscription(
  app: App,
  options: PaidTranscriptionOptions,
): Promise<PaidTranscription> {
  const { model, spec, recording, keepDays } = options
  const pauses = pausesIn(recording)
  const asked = await planCandidate(model, recording, spec, pauses)
  const others = orderCandidates<{ model: TranscriptionModel; order: unknown }>(
    app,
    options,
    { model, order: undefined },
    (other) => (other.kind === 'transcription' ? { model: other, order: undefined } : undefined),
  ).slice(1)
  const fallbacks = await Promise.all(
    others.map((one) => planCandidate(one.model, recording, spec, pauses).catch(() => undefined)),
  )
  const candidates = [asked, ...fallbacks.flatMap((one) => one ?? [])].filter((one) =>
    takesSamePieces(one, asked),
  )
  const first = 'sound' in recording ? undefined : await firstPieces(candidates, recording)
  const { defaults } = app.config
  const worstCase = maxAmount(
    candidates.map((one) => transcriptionModels.worstCase(one.model, defaults, one.bound)),
  )
  const wanted = {
    creations: 1,
    bytes: reservedBytes(secondsIn(recording)),
    source: 'transcript',
    ...(keepDays !== undefined && { keepDays }),
  }
  const call = { ...options, isFetchable: true, isStored: true }
  const { result, held } = await StoredResult.reserve(app, options, wanted, () =>
    startPaidOrder<TranscriptionCandidate, TranscriptionResult>(app, call, transcriptionModels, worstCase),
  )
  return new PaidTranscriptionOrder({ app, options, candidates, first, result, order: held })
}

/** Whether a model takes the same pieces. Live sound is cut before it is known which model transcribes it. */
const takesSamePieces = ({ plan }: PlannedTranscription, { plan: asked }: PlannedTranscription): boolean =>
  asked.how !== 'live' || (plan.encoding === asked.encoding && plan.maxSeconds >= asked.maxSeconds)

const secondsIn = (recording: OpenedRecording | LiveSound): number =>
  'sound' in recording ? recording.maxSeconds : recording.recording.measured.seconds

/** The pauses of the recording, found once, and only where a model needs them. */
function pausesIn(recording: OpenedRecording | LiveSound): () => Promise<readonly Pause[]> {
  let found: Promise<readonly Pause[]> | undefined
  const find = async (): Promise<readonly Pause[]> => {
    if ('sound' in recording || !recording.recording.measured.isDecodable) return []
    const levels = await recording.recording.levels()
    return pausesOf(levels).map(({ start, end }) => ({ start: start / levels.rate, end: end / levels.rate }))
  }
  return () => {
    found ??= find()
    return found
  }
}

async function planCandidate(
  model: TranscriptionModel,
  recording: OpenedRecording | LiveSound,
  spec: TranscriptionSpec,
  pauses: () => Promise<readonly Pause[]>,
): Promise<PlannedTranscription> {
  const plan = planTranscription(model, recording, spec)
  const seconds = secondsIn(recording)
  const spans =
    'sound' in recording
      ? liveSpans(plan, recording)
      : planPieceSpans({ ...plan, seconds, pauses: plan.isCut ? await pauses() : [] })
  return { model, plan, spans, bound: boundOf(plan, spans) }
}

/** The first piece for each model; models that get the same piece share it. */
async function firstPieces(
  candidates: readonly PlannedTranscription[],
  recording: OpenedRecording,
): Promise<PieceFile[]> {
  const made = new Map<string, Promise<PieceFile>>()
  return Promise.all(
    candidates.map(({ plan, spans }) => {
      const { from, to } = spans[0]!
      const key = [plan.how, plan.encoding, plan.isCut, from, to].join()
      const piece = made.get(key) ?? pieceOf(plan, recording, spans[0]!)
      made.set(key, piece)
      return piece
    }),
  )
}

interface PaidTranscriptionParts {
  app: App
  options: PaidTranscriptionOptions
  candidates: PlannedTranscription[]
  /** The first piece for each candidate; absent for live sound. */
  first: PieceFile[] | undefined
  result: StoredResult
  order: PaidOrder<TranscriptionCandidate, TranscriptionResult>
}

/** The transcript of a piece, and the usage that the upstream counts for it. */
interface FilledPiece {
  heard: PieceTranscript
  usage: TranscriptionResult['usage']
}

/** A piece that is joined once all pieces before it are joined. */
interface PieceTurn {
  joint: PieceSpan['joint']
  /** Whether its text is shown while it comes: then none of it can be left out later. */
  isShown: boolean
  /** The text that came before all earlier pieces were joined. */
  held: string
  heard?: PieceTranscript
}

class PaidTranscriptionOrder implements PaidTranscription {
  readonly #parts: PaidTranscriptionParts
  readonly #progress = new TranscriptPartQueue()
  readonly #joiner: Joiner
  readonly #written: TranscriptText
  readonly #filled: FilledPart<TranscriptionCandidate, FilledPiece>[] = []
  readonly #turns: PieceTurn[] = []
  /** The index of the first turn that is not joined. */
  #turn = 0
  readonly #segments: Transcript['segments'] = []
  #words: NonNullable<Transcript['words']> | undefined
  /** The candidate that answers; before that, the one tried last. */
  #candidate: PlannedTranscription
  #hasFailed = false
  /** The end of the last sound that was sent. */
  #seconds = 0
  #transcript: Transcript | undefined
  /** The amount to settle, once it is known. */
  #bill: bigint | undefined

  constructor(parts: PaidTranscriptionParts) {
    this.#parts = parts
    this.#candidate = parts.candidates[0]!
    const { spec } = parts.options
    const { language } = this.#candidate.plan.settings
    this.#joiner = new Joiner({ diarizes: spec.diarize === true, speakers: spec.speakers })
    this.#written = new TranscriptText(this.#progress, { language, normalizes: this.#normalizes })
  }

  get model(): TranscriptionModel {
    return this.#candidate.model
  }
  get #normalizes(): boolean {
    return this.#parts.options.spec.normalize !== false
  }

  parts(): AsyncGenerator<TranscriptPart> {
    return this.#progress.parts()
  }

  async transcript(): Promise<Transcript> {
    const { result, order } = this.#parts
    try {
      await this.#make()
      for (const joined of this.#joiner.end()) this.#finish(joined)
      const made = this.#made()
      const bytes = await transcriptFile({
        ...made,
        model: this.model.id,
        language: made.language,
        words: made.words,
        speakers: made.speakers,
      })
      await result.stage({ bytes, mediaType: transcriptMediaType })
      const microcredits = await this.#charge()
      const [file] = result.fileIds as [string]
      this.#transcript = { ...made, file, microcredits, tokens: this.#tokens, pieces: this.#filled.length }
      this.#progress.end()
      return this.#transcript
    } catch (error) {
      const failure = order.fault ? failureOf(order.fault) : error
      this.#progress.end(failure)
      throw failure
    }
  }

  #made(): Omit<Transcript, 'file' | 'microcredits' | 'tokens' | 'pieces'> {
    const { speakers, unmatched } = this.#joiner
    const language = this.#language
    const { recording } = this.#parts.options
    return {
      text: this.#written.text,
      ...(language !== undefined && { language }),
      seconds: 'sound' in recording ? this.#seconds : secondsIn(recording),
      segments: this.#segments,
      ...(this.#words && { words: this.#words }),
      ...(speakers && { speakers }),
      ...(unmatched.length > 0 && { unmatchedSpeakers: unmatched }),
    }
  }

  /** The language of the first piece of the recording that names one, whichever was answered first. */
  get #language(): string | undefined {
    return this.#turns.find(({ heard }) => heard?.language !== undefined)?.heard?.language
  }
  get #heard(): PieceTranscript[] {
    return this.#filled.flatMap((part) => (part.fault ? [] : part.done.heard))
  }

  /** Charges the cost up to the hold, which covers all of it. */
  async #charge(): Promise<bigint> {
    const cost = this.#cost
    const { microcredits, isSure } = await this.#parts.order.request.charge(cost)
    this.#bill = isSure ? cost : microcredits
    return microcredits
  }

  async #make(): Promise<void> {
    const { recording } = this.#parts.options
    if ('sound' in recording) await this.#writeLive(recording)
    else await this.#writeFile(recording)
  }

  async #writeFile(recording: OpenedRecording): Promise<void> {
    const { candidates } = this.#parts
    const first = this.#parts.first!
    const isShown = candidates.every(({ spans }) => spans[1]?.joint !== 'overlap')
    const turn = this.#addTurn('first', isShown)
    await this.#send(
      candidates.map((one, index) => ({ ...one, piece: first[index]! })),
      turn,
    )
    // Every further piece goes to the model that transcribed the first: another model writes differently.
    const { model, plan, spans, bound } = this.#candidate
    let next = 1
    const sendRest = async (): Promise<void> => {
      while (next < spans.length && !this.#isBroken) {
        const index = next++
        const own = this.#turnOf(spans, index)
        const piece = await pieceOf(plan, recording, spans[index]!)
        if (!this.#isBroken) await this.#send([{ model, plan, spans, bound, piece }], own)
      }
    }
    await this.#all(Array.from({ length: maxParallelCalls }, () => this.#orBreak(sendRest)))
  }

  async #writeLive(recording: LiveSound): Promise<void> {
    const { candidates, options } = this.#parts
    const signals = [options.gone, ...(recording.signal ? [recording.signal] : [])]
    const signal = AbortSignal.any(signals)
    const sending = new Set<Promise<void>>()
    const all: Promise<void>[] = []
    try {
      for await (const { joint, goesOn, ...piece } of livePieces(
        { ...recording, signal },
        this.#candidate.plan,
      )) {
        const turn = this.#addTurn(joint, joint !== 'overlap' && !goesOn)
        // The model that transcribes the first piece transcribes all of them.
        const planned = this.#filled.length === 0 ? candidates : [this.#candidate]
        const sent = this.#send(
          planned.map((one) => ({ ...one, piece })),
          turn,
        )
        all.push(sent)
        const entry: Promise<void> = sent.then(
          () => void sending.delete(entry),
          () => void sending.delete(entry),
        )
        sending.add(entry)
        while (sending.size >= (this.#filled.length === 0 ? 1 : maxParallelCalls)) await Promise.race(sending)
        if (this.#isBroken) break
      }
    } finally {
      await this.#all(all)
    }
  }

  /** Waits for all work, also when one part fails: what was sent is read to its end. */
  async #all(work: readonly Promise<void>[]): Promise<void> {
    const outcomes = await Promise.allSettled(work)
    const failed = outcomes.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
  }

  /** Runs the work; once it fails, no further piece is sent. */
  async #orBreak(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#hasFailed = true
      throw error
    }
  }

  get #isBroken(): boolean {
    return this.#hasFailed || this.#parts.order.fault !== undefined
  }

  #turnOf(spans: readonly PieceSpan[], index: number): PieceTurn {
    const { joint } = spans[index]!
    return this.#addTurn(joint, joint !== 'overlap' && spans[index + 1]?.joint !== 'overlap')
  }

  #addTurn(joint: PieceSpan['joint'], isShown: boolean): PieceTurn {
    const turn: PieceTurn = { joint, isShown, held: '' }
    this.#turns.push(turn)
    return turn
  }

  /** Sends a piece to the first candidate that can take it. Throws the fault where none did. */
  async #send(
    planned: readonly (PlannedTranscription & { piece: PieceFile })[],
    turn: PieceTurn,
  ): Promise<void> {
    const isWanted = this.#parts.options.spec.stream === true
    const candidates = planned.map((one): TranscriptionCandidate => {
      const isStreamed = isWanted && one.model.transcription.streams
      const maxCharacters = maxTextLength(one.piece.sound.seconds)
      const onText = (text: string): void => this.#show(turn, text, maxCharacters)
      return { ...one, order: { ...orderOf(one.plan, one.piece.sound), ...(isStreamed && { onText }) } }
    })
    const part = await this.#parts.order.fill(candidates, async (transcribed, { plan, piece }) => ({
      heard: await checkTranscript(transcribed, {
        ...{ from: piece.from, to: piece.to, language: plan.settings.language },
        ...{ normalizes: this.#normalizes, diarizes: plan.settings.diarize === true },
      }),
      usage: transcribed.usage,
    }))
    this.#filled.push(part)
    // The run of every piece is kept until the end, but its sound is not needed any more.
    for (const { piece } of planned) piece.sound.bytes = noBytes
    this.#candidate = part.candidate
    if (part.fault) throw part.fault
    this.#seconds = Math.max(this.#seconds, part.candidate.piece.to)
    turn.heard = part.done.heard
    this.#join()
  }

  #show(turn: PieceTurn, text: string, maxCharacters: number): void {
    if (!turn.isShown || turn.held.length + text.length > maxCharacters) return
    turn.held += text
    if (this.#turns[this.#turn] === turn) this.#written.show(text)
  }

  /** Joins all pieces up to the first without a transcript. */
  #join(): void {
    for (let turn = this.#turns[this.#turn]; turn?.heard; turn = this.#turns[this.#turn]) {
      for (const joined of this.#joiner.add(turn.heard, turn.joint)) this.#finish(joined)
      if (turn.isShown) for (const joined of this.#joiner.end()) this.#finish(joined)
      this.#turn += 1
      const next = this.#turns[this.#turn]
      if (next && next.held !== '') this.#written.show(next.held)
    }
  }

  #finish(joined: ReturnType<Joiner['end']>[number]): void {
    this.#written.finish(joined)
    // The segments are added one by one: a call cannot take hundreds of thousands of arguments.
    for (const segment of joined.segments) this.#segments.push(segment)
    if (!joined.words) return
    this.#words ??= []
    for (const word of joined.words) this.#words.push(word)
  }

  /** The tokens that upstreams claim for the filled pieces. */
  get #claimed(): { input: number; output: number } | undefined {
    const usages = this.#filled.flatMap((part) => (part.fault ? [] : (part.done.usage ?? [])))
    if (!usages.some(({ input, output }) => input !== undefined || output !== undefined)) return undefined
    const sum = (figure: 'input' | 'output') =>
      usages.reduce((total, usage) => total + (usage[figure] ?? 0), 0)
    return { input: sum('input'), output: sum('output') }
  }
  /** The claimed tokens as far as they are possible, else an estimate where the price is by tokens. */
  get #tokens(): { input: number; output: number } {
    const tokens = { input: 0, output: 0 }
    for (const part of this.#billed) {
      const { input, output } = this.#tokensOf(part)
      tokens.input += input
      tokens.output += output
    }
    return tokens
  }
  #tokensOf(part: FilledPart<TranscriptionCandidate, FilledPiece>): { input: number; output: number } {
    const { model, plan, piece } = part.candidate
    const { seconds } = piece.sound
    return part.fault
      ? paidTokensOf(model, plan, { seconds, letters: 0 })
      : paidTokensOf(model, plan, { seconds, letters: part.done.heard.text.length }, part.done.usage)
  }
  /** The pieces that an upstream may bill. */
  get #billed(): FilledPart<TranscriptionCandidate, FilledPiece>[] {
    return this.#filled.filter(({ fault }) => !fault || fault.executed)
  }
  get #billedSeconds(): number[] {
    return this.#billed.map(({ candidate }) => candidate.piece.sound.seconds)
  }
  get #cost(): bigint {
    const { input, output } = this.#tokens
    return transcriptionModels.price(this.model, this.#parts.app.config.defaults, {
      seconds: this.#billedSeconds,
      inputTokens: input,
      outputTokens: output,
    })
  }

  finish({
    statusCode,
    failure,
    reply,
  }: Parameters<PaidTranscription['finish']>[0]): Promise<PaidRequestResult> {
    const { order, result } = this.#parts
    const tokens = this.#tokens
    const microcredits = this.#bill ?? this.#cost
    const seconds = Math.ceil(this.#transcript?.seconds ?? this.#seconds)
    const end = order.endOf({
      statusCode,
      failure,
      ...(reply !== undefined && { reply }),
      microcredits,
      withinHold: true,
      tokens: { ...tokens, cachedInput: 0, reasoning: 0 },
      quantities: totalQuantities(this.#transcript ? [{ seconds }] : []),
      claims: claimsOfFigures(order.attempts, this.#claimed, tokens),
      detail: { head: this.#detail() },
      figures: { seconds },
      attributes: { 'gen_ai.usage.input_tokens': tokens.input, 'gen_ai.usage.output_tokens': tokens.output },
    })
    return result.settle(order.request, end, microcredits)
  }

  #detail(): Record<string, unknown> {
    const { recording, spec } = this.#parts.options
    const { plan, spans } = this.#candidate
    const isLive = 'sound' in recording
    return {
      recording: {
        seconds: Number((isLive ? this.#seconds : secondsIn(recording)).toFixed(3)),
        sent: plan.how,
        pieces: isLive ? this.#filled.length : spans.length,
        filled: this.#heard.length,
        // Pieces overlap, and each is rounded up, so this exceeds the length of the recording.
        billed_seconds: this.#transcript ? billedSeconds(this.model.pricing, this.#billedSeconds) : 0,
        timestamps: plan.settings.timestamps,
        diarize: spec.diarize === true,
        language: this.#language ?? plan.settings.language ?? null,
      },
      usage_source: this.#claimed ? 'upstream' : 'estimated',
    }
  }
}

const noBytes = new Uint8Array(0)
