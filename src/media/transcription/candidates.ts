/** The models that may transcribe a recording, and the pieces in which each of them gets it. */
import type { TranscriptionModel, TranscriptionUsage } from '#core/models'
import { orderCandidates, type PaidApp, type PaidCall } from '#core/paid'
import { pausesOf, SoundError, type TimeSpan } from '#core/sound'
import type { TranscriptionOrder } from '#core/turn'
import { Failure } from '#platform/errors'
import { type Pause, type PieceSpan, planPieceSpans } from './cut.ts'
import { type PieceFile, pieceOf } from './pieces.ts'
import { boundOf, liveSpans, planTranscription, type TranscriptionPlan } from './plan.ts'
import type { LiveSound, OpenedRecording, TranscriptionSpec } from './transcription.ts'

/** A model, and how it gets the recording. */
export interface PlannedTranscription {
  model: TranscriptionModel
  plan: TranscriptionPlan
  /** The pieces that are sent: none where nobody speaks and the model gets no silence. */
  spans: readonly PieceSpan[]
  bound: TranscriptionUsage
}
export interface TranscriptionCandidate extends PlannedTranscription {
  order: TranscriptionOrder
  piece: PieceFile
}

export interface CandidateOptions extends Pick<PaidCall, 'caller'> {
  model: TranscriptionModel
  spec: TranscriptionSpec
  recording: OpenedRecording | LiveSound
}

/**
 * The requested model, and those of its fallbacks that can transcribe the recording in its place. Throws what `planTranscription` throws for the
 * requested model, and `SoundError` for a recording that cannot be read.
 */
export async function planCandidates(
  app: Pick<PaidApp, 'models'>,
  options: CandidateOptions,
): Promise<PlannedTranscription[]> {
  const { model, spec, recording } = options
  const pauses = pausesIn(recording)
  const asked = await planCandidate(model, recording, spec, pauses)
  if (asked.spans.length === 0) return [asked]
  const others = orderCandidates<{ model: TranscriptionModel; order: unknown }>(
    app,
    options,
    { model, order: undefined },
    (other) => (other.kind === 'transcription' ? { model: other, order: undefined } : undefined),
  ).slice(1)
  const fallbacks = await Promise.all(
    others.map((one) => planCandidate(one.model, recording, spec, pauses).catch(() => undefined)),
  )
  return [asked, ...fallbacks.flatMap((one) => one ?? [])].filter(
    (one) => one.spans.length > 0 && takesSamePieces(one, asked),
  )
}

/** Whether a model takes the same pieces. Live sound is cut before it is known which model transcribes it. */
const takesSamePieces = ({ plan }: PlannedTranscription, { plan: asked }: PlannedTranscription): boolean =>
  asked.how !== 'live' || (plan.encoding === asked.encoding && plan.maxSeconds >= asked.maxSeconds)

/** The length of a recording; that of live sound is the longest that it may have. */
export const secondsIn = (recording: OpenedRecording | LiveSound): number =>
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
      : await spokenSpans(
          { model, recording, spec },
          planPieceSpans({ ...plan, seconds, pauses: plan.isCut ? await pauses() : [] }),
        )
  return { model, plan, spans, bound: boundOf(plan, spans) }
}

/**
 * The pieces in which somebody speaks, for a model that gets no others. Where speakers are told apart all pieces are sent or none, since voices are
 * recognised in the overlap of each with the next.
 */
async function spokenSpans(
  {
    model,
    recording,
    spec,
  }: { model: TranscriptionModel; recording: OpenedRecording; spec: TranscriptionSpec },
  spans: readonly PieceSpan[],
): Promise<readonly PieceSpan[]> {
  if (!model.transcription.vad) return spans
  const spoken: PieceSpan[] = []
  let isAfterGap = false
  const found = await speechIn(
    recording,
    spans.length === 1 ? [{}] : spans.map(({ from, to }) => ({ from, to })),
  )
  for (const [index, span] of spans.entries()) {
    const isSpoken = found[index]!
    if (isSpoken && spec.diarize) return spans
    // What overlaps with a piece that is left out has no word in that part.
    const joint = spoken.length === 0 ? 'first' : isAfterGap ? 'silence' : span.joint
    if (isSpoken) spoken.push({ ...span, joint })
    isAfterGap = !isSpoken
  }
  return spoken
}

/** Whether somebody speaks in each span. What cannot be read here, or not now, counts as speech: the model may be able to. */
async function speechIn(
  { recording }: OpenedRecording,
  spans: readonly TimeSpan[],
): Promise<readonly boolean[]> {
  try {
    return await recording.speechIn(spans)
  } catch (error) {
    const isFull = error instanceof Failure && error.code === 'SPOOL_FULL'
    if (!isFull && !(error instanceof SoundError)) throw error
    return spans.map(() => true)
  }
}

/** The first piece for each model; models that get the same piece share it. */
export async function firstPieces(
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
