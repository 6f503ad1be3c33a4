/** Sends the pieces of a recording, each at most once and all to one model, and joins what is transcribed of them. */
import type { PaidOrder } from '#core/paid'
import type { TranscriptionResult } from '#core/spec'
import { type PlannedTranscription, secondsIn, type TranscriptionCandidate } from './candidates.ts'
import type { PieceSpan } from './cut.ts'
import { checkTranscript, maxTextLength } from './heard.ts'
import { JoinedPieces, type JoinedTranscript, type PieceTurn } from './joined-pieces.ts'
import { livePieces } from './live.ts'
import { type PieceFile, pieceOf } from './pieces.ts'
import { orderOf, writtenLanguageOf } from './plan.ts'
import type { TranscriptPartQueue } from './progress.ts'
import type { LiveSound, OpenedRecording, TranscriptionSpec } from './transcription.ts'
import type { SentPiece } from './used.ts'

/** The most calls to the upstream at a time: their pieces stand in memory. */
const maxParallelCalls = 4

export interface SentPiecesOptions {
  candidates: readonly PlannedTranscription[]
  /** The first piece for each candidate; absent for live sound, and where nothing is sent. */
  first: readonly PieceFile[] | undefined
  order: PaidOrder<TranscriptionCandidate, TranscriptionResult>
  spec: TranscriptionSpec
  recording: OpenedRecording | LiveSound
  /** Aborts when the caller disconnects, which ends live sound. */
  gone: AbortSignal
}

export class SentPieces {
  readonly #options: SentPiecesOptions
  readonly #joined: JoinedPieces
  readonly #filled: SentPiece[] = []
  #candidate: PlannedTranscription
  #hasFailed = false
  #seconds = 0

  constructor(progress: TranscriptPartQueue, options: SentPiecesOptions) {
    this.#options = options
    this.#candidate = options.candidates[0]!
    const { spec } = options
    const language = writtenLanguageOf(this.#candidate.plan)
    this.#joined = new JoinedPieces(progress, { spec, language, normalizes: this.#normalizes })
  }

  /** The candidate that answers; before that, the one tried last. */
  get candidate(): PlannedTranscription {
    return this.#candidate
  }
  /** The outcome of every piece that was sent, in the order of their ends. */
  get filled(): readonly SentPiece[] {
    return this.#filled
  }
  /** The end of the last sound that was sent. */
  get seconds(): number {
    return this.#seconds
  }
  /** The length of the recording; of live sound, of what was sent of it. */
  get recordedSeconds(): number {
    const { recording } = this.#options
    return 'sound' in recording ? this.#seconds : secondsIn(recording)
  }
  get language(): string | undefined {
    return this.#joined.language
  }
  get #normalizes(): boolean {
    return this.#options.spec.normalize !== false
  }

  /** Call once: sends all pieces, and returns their transcript. Throws the fault of a piece that was not filled. */
  async transcribe(): Promise<JoinedTranscript> {
    const { recording } = this.#options
    if ('sound' in recording) await this.#writeLive(recording)
    else await this.#writeFile(recording)
    return this.#joined.end(this.recordedSeconds)
  }

  async #writeFile(recording: OpenedRecording): Promise<void> {
    const { candidates, first } = this.#options
    if (!first) return
    const isShown = candidates.every(({ spans }) => spans[1]?.joint !== 'overlap')
    const turn = this.#joined.add('first', isShown)
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
    const { candidates, gone } = this.#options
    const signals = [gone, ...(recording.signal ? [recording.signal] : [])]
    const signal = AbortSignal.any(signals)
    const sending = new Set<Promise<void>>()
    const all: Promise<void>[] = []
    try {
      for await (const { joint, overlapsNext, ...piece } of livePieces(
        { ...recording, signal },
        this.#candidate.plan,
      )) {
        const turn = this.#joined.add(joint, joint !== 'overlap' && !overlapsNext)
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
    return this.#hasFailed || this.#options.order.fault !== undefined
  }

  #turnOf(spans: readonly PieceSpan[], index: number): PieceTurn {
    const { joint } = spans[index]!
    return this.#joined.add(joint, joint !== 'overlap' && spans[index + 1]?.joint !== 'overlap')
  }

  /** Sends a piece to the first candidate that can take it. Throws the fault where none did. */
  async #send(
    planned: readonly (PlannedTranscription & { piece: PieceFile })[],
    turn: PieceTurn,
  ): Promise<void> {
    const isWanted = this.#options.spec.stream === true
    const candidates = planned.map((one): TranscriptionCandidate => {
      const isStreamed = isWanted && one.model.transcription.streams
      const maxCharacters = maxTextLength(one.piece.sound.seconds)
      const onText = (text: string): void => this.#joined.show(turn, text, maxCharacters)
      return { ...one, order: { ...orderOf(one.plan, one.piece.sound), ...(isStreamed && { onText }) } }
    })
    const part = await this.#options.order.fill(candidates, async (transcribed, { plan, piece }) => ({
      heard: await checkTranscript(transcribed, {
        ...{ from: piece.from, to: piece.to, language: writtenLanguageOf(plan) },
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
    this.#joined.join(turn, part.done.heard)
  }
}

const noBytes = new Uint8Array(0)
