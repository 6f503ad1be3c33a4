/** Transcribes an utterance of a call by one call to an upstream. */
import { failureOf } from '#core/inference'
import { type Cost, noCost, type TranscriptionModel, transcriptionModels } from '#core/models'
import {
  claimsOfFigures,
  maxAmount,
  orderCandidates,
  type PaidApp,
  type PaidOrder,
  startPaidOrder,
} from '#core/paid'
import { encodeWhole, formatMediaType } from '#core/sound'
import type { TranscriptionResult } from '#core/spec'
import type { TranscriptionOrder } from '#core/turn'
import {
  checkTranscript,
  languageOf,
  maxTokensOf,
  namedRecording,
  orderOf,
  paidTokensOf,
  planTranscription,
  speechSampleRate,
  type TranscriptionPlan,
} from '#media/transcription'
import type { Failure } from '#platform/errors'
import type { LiveCall, LiveStep } from './live-speech.ts'

export interface UtteranceOptions extends LiveCall {
  model: TranscriptionModel
  /** Sound of 16 kHz, mono; at least a tenth of a second. */
  samples: Float32Array
  /** The language as the client wrote it; left out where the model does not know it. */
  language?: string | undefined
  /** The prompt; left out where the model takes none. */
  prompt?: string | undefined
}

export interface UtteranceTranscript {
  /** Empty where nobody spoke. */
  text: string
  /** The seconds that were sent to the upstream. */
  seconds: number
  /** The failure where there is no transcript. */
  failure: Failure | undefined
}

/** A transcription that has not begun. */
export interface UtterancePlan {
  /** The most that it may cost, in micro-credits. */
  readonly worst: bigint
  /** Call once. When it resolves, the step is settled; where the upstream failed, it costs nothing. Throws where the step cannot be paid. */
  run(step: LiveStep): Promise<UtteranceTranscript>
}

interface PlannedTranscription {
  model: TranscriptionModel
  plan: TranscriptionPlan
}
interface TranscriptionCandidate extends PlannedTranscription {
  order: TranscriptionOrder
}

export function planUtterance(app: PaidApp, options: UtteranceOptions): UtterancePlan {
  const seconds = options.samples.length / speechSampleRate
  const candidates = candidatesOf(app, options, seconds)
  const worst = worstOf(app, candidates, seconds)
  return { worst, run: (step) => transcribeUtterance(app, { options, candidates, worst, seconds }, step) }
}

/** The most that the transcription of this many seconds may cost, in micro-credits. */
export const worstCaseOfUtterance = (
  app: Pick<PaidApp, 'config' | 'models'>,
  options: CandidateOptions,
  seconds: number,
): bigint => worstOf(app, candidatesOf(app, options, seconds), seconds)

type CandidateOptions = Pick<UtteranceOptions, 'caller' | 'model' | 'language' | 'prompt'>
type TranscriptionHints = Pick<UtteranceOptions, 'language' | 'prompt'>

function candidatesOf(
  app: Pick<PaidApp, 'models'>,
  options: CandidateOptions,
  seconds: number,
): PlannedTranscription[] {
  const asked = { ...planOf(options.model, seconds, options), order: undefined }
  return orderCandidates<PlannedTranscription & { order: unknown }>(app, options, asked, (other) =>
    other.kind === 'transcription' ? planForFallback(other, seconds, options, asked.plan) : undefined,
  )
}

const worstOf = (
  app: Pick<PaidApp, 'config'>,
  candidates: readonly PlannedTranscription[],
  seconds: number,
): bigint =>
  maxAmount(candidates.map((one) => costOf(app, one, seconds, maxTokensOf(one.plan, seconds)).microcredits))

/** The plan for a transcription in a call, for which no model is asked for times or speakers. */
export function planOf(
  model: TranscriptionModel,
  seconds: number,
  wanted: TranscriptionHints,
): PlannedTranscription {
  const { languages, takesPrompt } = model.transcription
  const language = wanted.language === undefined ? undefined : languageOf(wanted.language)
  const isKnown = language && (!languages || languages.some((one) => (languageOf(one) ?? one) === language))
  const plan = planTranscription(
    model,
    { sound: [], maxSeconds: seconds },
    {
      timestamps: 'none',
      where: (setting) => `audio.input.transcription.${setting}`,
      ...(isKnown && { language }),
      ...(wanted.prompt && takesPrompt && { prompt: wanted.prompt }),
    },
  )
  return { model, plan }
}

/** The plan of a fallback, if it takes the same file; undefined otherwise. */
function planForFallback(
  model: TranscriptionModel,
  seconds: number,
  wanted: CandidateOptions,
  { encoding }: TranscriptionPlan,
) {
  try {
    const planned = planOf(model, seconds, wanted)
    return planned.plan.encoding === encoding ? { ...planned, order: undefined } : undefined
  } catch {
    return undefined
  }
}

const costOf = (
  app: Pick<PaidApp, 'config'>,
  { model }: PlannedTranscription,
  seconds: number,
  { input, output }: { input: number; output: number },
): Cost =>
  transcriptionModels.cost(model, app.config.defaults, {
    seconds: [seconds],
    inputTokens: input,
    outputTokens: output,
  })

interface PreparedUtterance {
  options: UtteranceOptions
  candidates: readonly PlannedTranscription[]
  worst: bigint
  seconds: number
}

async function transcribeUtterance(
  app: PaidApp,
  { options, candidates, worst, seconds }: PreparedUtterance,
  { stepId, part }: LiveStep,
): Promise<UtteranceTranscript> {
  const { samples, signal: gone, caller, endpoint, trace } = options
  const { encoding } = candidates[0]!.plan
  const file = { format: encoding, rate: speechSampleRate, maxBytes: maxEncodedBytes }
  const { bytes } = await encodeWhole([{ rate: speechSampleRate, samples }], file)
  const recording = namedRecording(bytes, formatMediaType(encoding), seconds)
  const call = {
    ...{ model: options.model, caller, endpoint, gone, trace, part },
    requestId: stepId,
    receivedMs: app.clock.nowMs(),
    isFetchable: false,
  }
  const paid = await startPaidOrder<TranscriptionCandidate, TranscriptionResult>(
    app,
    call,
    transcriptionModels,
    worst,
  )
  const orders = candidates.map(
    (one): TranscriptionCandidate => ({ ...one, order: orderOf(one.plan, recording) }),
  )
  const filled = await paid.fill(orders, async (transcribed, { plan }) => ({
    text: await textOf(transcribed, plan, seconds),
    usage: transcribed.usage,
  }))
  const { candidate, fault } = filled
  const text = filled.fault ? '' : filled.done.text
  const claimed = filled.fault ? undefined : filled.done.usage
  // A caller who went on speaking has made the transcript useless, and pays for it if it was ordered.
  const isCharged = !fault || (fault.fault === 'aborted' && fault.executed)
  const failure = fault && failureOf(fault)
  await settle(app, paid, { candidate, seconds, text, claimed, isCharged, failure })
  return { text, seconds, failure }
}

/** The bound for encoding, which is never reached: an utterance has a minute at most. */
const maxEncodedBytes = 16 * 1024 * 1024

async function textOf(
  transcribed: TranscriptionResult,
  plan: TranscriptionPlan,
  seconds: number,
): Promise<string> {
  const { language } = plan.settings
  const heard = await checkTranscript(transcribed, {
    from: 0,
    to: seconds,
    language,
    normalizes: true,
    diarizes: false,
  })
  return heard.text
}

interface TranscriptionOutcome {
  candidate: TranscriptionCandidate
  seconds: number
  text: string
  claimed: TranscriptionResult['usage']
  isCharged: boolean
  failure: Failure | undefined
}

async function settle(
  app: Pick<PaidApp, 'config'>,
  paid: PaidOrder<TranscriptionCandidate, TranscriptionResult>,
  { candidate, seconds, text, claimed, isCharged, failure }: TranscriptionOutcome,
): Promise<void> {
  const heard = { seconds, letters: text.length }
  const tokens = paidTokensOf(candidate.model, candidate.plan, heard, claimed)
  await paid.settle({
    statusCode: failure?.status ?? 200,
    failure,
    cost: isCharged ? costOf(app, candidate, seconds, tokens) : noCost,
    withinHold: true,
    tokens: { ...tokens, cachedInput: 0, reasoning: 0 },
    quantities: isCharged ? { seconds: Math.ceil(seconds) } : undefined,
    claims: claimsOfFigures(paid.attempts, claimed, tokens),
    detail: { head: { recording: { seconds: Number(seconds.toFixed(3)) } } },
    figures: { seconds },
    attributes: { 'gen_ai.usage.input_tokens': tokens.input, 'gen_ai.usage.output_tokens': tokens.output },
  })
}
