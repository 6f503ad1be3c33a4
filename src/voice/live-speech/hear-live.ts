/** Transcribes an utterance of a call by one call to an upstream. */
import type { App } from '#app'
import { failureOf } from '#core/inference'
import { type TranscriptionModel, transcriptionModels } from '#core/models'
import { claimsOf, highest, orderCandidates, type PaidOrder, startPaidOrder } from '#core/paid'
import { encodeWhole, mediaTypeOf } from '#core/sound'
import type { Transcribed } from '#core/spec'
import type { TranscriptionOrder } from '#core/turn'
import {
  heardOf,
  heardRate,
  heardTokens,
  languageOf,
  maxTokensOf,
  named,
  orderOf,
  planTranscription,
  type TranscriptionPlan,
} from '#media/transcription'
import type { Failure } from '#platform/errors'
import type { LiveCall, LiveStep } from './live-speech.ts'

export interface HearingOptions extends LiveCall {
  model: TranscriptionModel
  /** Sound of 16 kHz, mono; at least a tenth of a second. */
  samples: Float32Array
  /** The language as the client wrote it; left out where the model does not know it. */
  language?: string | undefined
  /** The prompt; left out where the model takes none. */
  prompt?: string | undefined
}

export interface HeardLive {
  /** Empty where nobody spoke. */
  text: string
  /** The seconds that were sent to the upstream. */
  seconds: number
  /** The failure where there is no transcript. */
  failure: Failure | undefined
}

/** A transcription that has not begun. */
export interface Hearing {
  /** The most that it may cost, in micro-credits. */
  readonly worst: bigint
  /** Call once. When it resolves, the step is settled; where the upstream failed, it costs nothing. Throws where the step cannot be paid. */
  run(step: LiveStep): Promise<HeardLive>
}

interface Planned {
  model: TranscriptionModel
  plan: TranscriptionPlan
}
interface Candidate extends Planned {
  order: TranscriptionOrder
}

export function planHearing(app: App, options: HearingOptions): Hearing {
  const seconds = options.samples.length / heardRate
  const candidates = candidatesOf(app, options, seconds)
  const worst = worstOf(app, candidates, seconds)
  return { worst, run: (step) => hear(app, { options, candidates, worst, seconds }, step) }
}

/** The most that the transcription of this many seconds may cost, in micro-credits. */
export const worstOfHearing = (app: App, options: Wanted, seconds: number): bigint =>
  worstOf(app, candidatesOf(app, options, seconds), seconds)

type Wanted = Pick<HearingOptions, 'caller' | 'model' | 'language' | 'prompt'>
type Said = Pick<HearingOptions, 'language' | 'prompt'>

function candidatesOf(app: App, options: Wanted, seconds: number): Planned[] {
  const asked = { ...planOf(options.model, seconds, options), order: undefined }
  return orderCandidates<Planned & { order: unknown }>(app, options, asked, (other) =>
    other.kind === 'transcription' ? alike(other, seconds, options, asked.plan) : undefined,
  )
}

const worstOf = (app: App, candidates: readonly Planned[], seconds: number): bigint =>
  highest(candidates.map((one) => costOf(app, one, seconds, maxTokensOf(one.plan, seconds))))

/** The plan for a transcription in a call, for which no model is asked for times or speakers. */
export function planOf(model: TranscriptionModel, seconds: number, wanted: Said): Planned {
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
function alike(model: TranscriptionModel, seconds: number, wanted: Wanted, { encoding }: TranscriptionPlan) {
  try {
    const planned = planOf(model, seconds, wanted)
    return planned.plan.encoding === encoding ? { ...planned, order: undefined } : undefined
  } catch {
    return undefined
  }
}

const costOf = (
  app: App,
  { model }: Planned,
  seconds: number,
  { input, output }: { input: number; output: number },
): bigint =>
  transcriptionModels.price(model, app.config.defaults, {
    seconds: [seconds],
    inputTokens: input,
    outputTokens: output,
  })

interface Prepared {
  options: HearingOptions
  candidates: readonly Planned[]
  worst: bigint
  seconds: number
}

async function hear(
  app: App,
  { options, candidates, worst, seconds }: Prepared,
  { stepId, part }: LiveStep,
): Promise<HeardLive> {
  const { samples, signal: gone, caller, endpoint, trace } = options
  const { encoding } = candidates[0]!.plan
  const file = { format: encoding, rate: heardRate, maxBytes: mostBytes }
  const { bytes } = await encodeWhole([{ rate: heardRate, samples }], file)
  const recording = named(bytes, mediaTypeOf(encoding), seconds)
  const call = {
    ...{ model: options.model, caller, endpoint, gone, trace, part },
    requestId: stepId,
    receivedMs: app.clock.nowMs(),
    isFetchable: false,
  }
  const paid = await startPaidOrder<Candidate, Transcribed>(app, call, transcriptionModels, worst)
  const orders = candidates.map((one): Candidate => ({ ...one, order: orderOf(one.plan, recording) }))
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
const mostBytes = 16 * 1024 * 1024

async function textOf(transcribed: Transcribed, plan: TranscriptionPlan, seconds: number): Promise<string> {
  const { language } = plan.settings
  const heard = await heardOf(transcribed, {
    from: 0,
    to: seconds,
    language,
    normalizes: true,
    diarizes: false,
  })
  return heard.text
}

interface Outcome {
  candidate: Candidate
  seconds: number
  text: string
  claimed: Transcribed['usage']
  isCharged: boolean
  failure: Failure | undefined
}

async function settle(
  app: App,
  paid: PaidOrder<Candidate, Transcribed>,
  { candidate, seconds, text, claimed, isCharged, failure }: Outcome,
): Promise<void> {
  const heard = { seconds, letters: text.length }
  const tokens = heardTokens(candidate.model, candidate.plan, heard, claimed)
  await paid.settle({
    statusCode: failure?.status ?? 200,
    failure,
    microcredits: isCharged ? costOf(app, candidate, seconds, tokens) : 0n,
    withinHold: true,
    tokens: { ...tokens, cachedInput: 0, reasoning: 0 },
    quantities: isCharged ? { seconds: Math.ceil(seconds) } : undefined,
    claims: claimsOf(paid.attempts, claimed, tokens),
    detail: { head: { recording: { seconds: Number(seconds.toFixed(3)) } } },
    figures: { seconds },
    attributes: { 'gen_ai.usage.input_tokens': tokens.input, 'gen_ai.usage.output_tokens': tokens.output },
  })
}
