/**
 * A paid transcription: room and worst case are held, each piece is sent at most once, and one whole transcript is stored and charged, or nothing is
 * charged.
 */
import { failureOf } from '#core/inference'
import { billedSeconds, type Cost, type TranscriptionModel, transcriptionModels } from '#core/models'
import {
  claimsOfFigures,
  maxAmount,
  type PaidApp,
  type PaidCall,
  type PaidOrder,
  type PaidRequestResult,
  type StatedCost,
  StoredResult,
  startPaidOrder,
  totalQuantities,
} from '#core/paid'
import type { TranscriptionResult } from '#core/spec'
import type { Failure } from '#platform/errors'
import {
  firstPieces,
  type PlannedTranscription,
  planCandidates,
  secondsIn,
  type TranscriptionCandidate,
} from './candidates.ts'
import type { PieceFile } from './pieces.ts'
import { TranscriptPartQueue } from './progress.ts'
import { SentPieces } from './sent-pieces.ts'
import { reservedBytes, transcriptFile, transcriptMediaType } from './transcript-file.ts'
import type {
  LiveSound,
  OpenedRecording,
  Transcript,
  TranscriptionSpec,
  TranscriptPart,
} from './transcription.ts'
import { claimedTokens, usedSeconds, usedTokens } from './used.ts'

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

/**
 * Refuses what the model cannot transcribe (see `planTranscription`), reads the recording as far as it is converted, then reserves room and holds the
 * worst case. Throws `SoundError` for a recording that cannot be read, and what `Ledger.hold` throws.
 */
export async function startPaidTranscription(
  app: PaidApp,
  options: PaidTranscriptionOptions,
): Promise<PaidTranscription> {
  const { recording, keepDays } = options
  const candidates = await planCandidates(app, options)
  const isSent = 'recording' in recording && candidates[0]!.spans.length > 0
  const first = isSent ? await firstPieces(candidates, recording) : undefined
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

interface PaidTranscriptionParts {
  app: Pick<PaidApp, 'config'>
  options: PaidTranscriptionOptions
  candidates: PlannedTranscription[]
  /** The first piece for each candidate; absent for live sound, and where nothing is sent. */
  first: PieceFile[] | undefined
  result: StoredResult
  order: PaidOrder<TranscriptionCandidate, TranscriptionResult>
}

class PaidTranscriptionOrder implements PaidTranscription {
  readonly #parts: PaidTranscriptionParts
  readonly #progress = new TranscriptPartQueue()
  readonly #pieces: SentPieces
  #transcript: Transcript | undefined
  /** The amount to settle, once it is known. */
  #bill: StatedCost | undefined

  constructor(parts: PaidTranscriptionParts) {
    this.#parts = parts
    const { candidates, first, order, options } = parts
    const { spec, recording, gone } = options
    this.#pieces = new SentPieces(this.#progress, { candidates, first, order, spec, recording, gone })
  }

  get model(): TranscriptionModel {
    return this.#pieces.candidate.model
  }

  parts(): AsyncGenerator<TranscriptPart> {
    return this.#progress.parts()
  }

  async transcript(): Promise<Transcript> {
    const { result, order } = this.#parts
    try {
      const made = await this.#pieces.transcribe()
      const bytes = await transcriptFile({
        ...made,
        task: this.#parts.options.spec.translate ? 'translate' : 'transcribe',
        model: this.model.id,
        language: made.language,
        words: made.words,
        speakers: made.speakers,
      })
      await result.stage({ bytes, mediaType: transcriptMediaType })
      const microcredits = await this.#charge()
      const [file] = result.fileIds as [string]
      const { filled } = this.#pieces
      this.#transcript = { ...made, file, microcredits, tokens: usedTokens(filled), pieces: filled.length }
      this.#progress.end()
      return this.#transcript
    } catch (error) {
      const failure = order.fault ? failureOf(order.fault) : error
      this.#progress.end(failure)
      throw failure
    }
  }

  /** Charges the cost up to the hold, which covers all of it. */
  async #charge(): Promise<bigint> {
    const cost = this.#cost
    const { microcredits, isSure } = await this.#parts.order.request.charge(cost.microcredits)
    this.#bill = { cost, statedMicrocredits: isSure ? undefined : microcredits }
    return microcredits
  }

  get #cost(): Cost {
    const { filled } = this.#pieces
    const { input, output } = usedTokens(filled)
    return transcriptionModels.cost(this.model, this.#parts.app.config.defaults, {
      seconds: usedSeconds(filled),
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
    const { filled } = this.#pieces
    const tokens = usedTokens(filled)
    const bill: StatedCost = this.#bill ?? { cost: this.#cost }
    const seconds = Math.ceil(this.#transcript?.seconds ?? this.#pieces.seconds)
    const end = order.endOf({
      statusCode,
      failure,
      ...(reply !== undefined && { reply }),
      ...bill,
      withinHold: true,
      tokens: { ...tokens, cachedInput: 0, reasoning: 0 },
      quantities: totalQuantities(this.#transcript ? [{ seconds }] : []),
      claims: claimsOfFigures(order.attempts, claimedTokens(filled), tokens),
      detail: { head: this.#detail() },
      figures: { seconds },
      attributes: { 'gen_ai.usage.input_tokens': tokens.input, 'gen_ai.usage.output_tokens': tokens.output },
    })
    // A transcript that was made without an upstream is an answer too, and belongs to its key.
    const settled = this.#transcript ? { ...end, freeClaim: false } : end
    return result.settle(order.request, settled, bill.statedMicrocredits ?? bill.cost.microcredits)
  }

  #detail(): Record<string, unknown> {
    const { recording, spec } = this.#parts.options
    const { candidate, filled, recordedSeconds, language } = this.#pieces
    const { plan, spans } = candidate
    const isLive = 'sound' in recording
    return {
      recording: {
        seconds: Number(recordedSeconds.toFixed(3)),
        ...(!isLive && recording.recording.measured.isTruncated && { truncated: true }),
        sent: plan.how,
        pieces: isLive ? filled.length : spans.length,
        filled: filled.filter(({ fault }) => !fault).length,
        // Pieces overlap, and each is rounded up, so this exceeds the length of the recording.
        billed_seconds: this.#transcript ? billedSeconds(this.model.pricing, usedSeconds(filled)) : 0,
        timestamps: plan.settings.timestamps,
        diarize: spec.diarize === true,
        ...(spec.translate && { task: 'translate' }),
        language: language ?? plan.settings.language ?? null,
      },
      usage_source: claimedTokens(filled) ? 'upstream' : 'estimated',
    }
  }
}
