/** Transcribes a call while its caller speaks, over a connection of its own to an upstream. */
import { type Cost, noCost, type TranscriptionModel, transcriptionModels } from '#core/models'
import type { PaidApp } from '#core/paid'
import { orderDeployments } from '#core/routing'
import { type LiveLink, UpstreamError } from '#core/spec'
import { maxTokensOf, paidTokensOf, type TranscriptionPlan } from '#media/transcription'
import { planOf } from './hear-live.ts'

/** The most seconds of one connection: a turn, with its silence. */
export const maxStreamSeconds = 64

export interface StreamOptions {
  model: TranscriptionModel
  /** The language and prompt, as in `UtteranceOptions`. */
  language?: string | undefined
  prompt?: string | undefined
}

/** A connection that has not been opened. */
export interface StreamPlan {
  /** The most that it may cost, in micro-credits. */
  readonly worst: bigint
  /** Opens a connection to the first deployment that answers. Throws `UpstreamError`: then nothing was transcribed, and nothing is to be paid. */
  open(events: StreamEvents): Promise<SpeechStream>
}

export interface StreamEvents {
  signal: AbortSignal
  /** Receives the whole text understood since the last commit, in place of the text before. */
  partial(text: string): void
  /** Called when the connection is over; an open commit has rejected. */
  failed(error: UpstreamError): void
}

export interface SpeechStream {
  /** Sends sound of 16 kHz, mono, 16 bits, little-endian; `maxStreamSeconds` of it at most. */
  write(pcm: Uint8Array): void
  /** The words of the sound that was written since the last commit. One commit at a time. Rejects with `UpstreamError`. */
  commit(): Promise<string>
  /** Ends the connection and returns its cost. Never rejects. */
  close(): Promise<StreamCost>
}

export interface StreamCost {
  seconds: number
  cost: Cost
}

/** Whether a provider of this model transcribes sound while it is spoken. */
export const canTranscribeLive = (app: Pick<PaidApp, 'inference'>, model: TranscriptionModel): boolean =>
  model.transcription.hearsLive && upstreamsOf(app, model).length > 0

const upstreamsOf = ({ inference }: Pick<PaidApp, 'inference'>, { deployments }: TranscriptionModel) =>
  deployments.flatMap((deployment) => {
    const upstream = inference.upstreamOf(deployment.provider)
    return upstream?.live ? [{ deployment, live: upstream.live, timeouts: upstream.timeouts }] : []
  })

export function planStream(app: Pick<PaidApp, 'config' | 'inference'>, options: StreamOptions): StreamPlan {
  const { model } = options
  const { plan } = planOf(model, maxStreamSeconds, options)
  const maxTokens = maxTokensOf(plan, maxStreamSeconds)
  return {
    worst: costOf(app, model, { seconds: maxStreamSeconds, ...maxTokens }).microcredits,
    open: (events) => open(app, { model, plan, events }),
  }
}

/** The longest wait for the words of a commit; after it the recording of the turn is transcribed instead. */
const maxCommitMs = 4_000

interface StreamRequest {
  model: TranscriptionModel
  plan: TranscriptionPlan
  events: StreamEvents
}

async function open(
  app: Pick<PaidApp, 'config' | 'inference'>,
  { model, plan, events }: StreamRequest,
): Promise<SpeechStream> {
  const { signal, partial, failed } = events
  const { language, prompt, keywords } = plan.settings
  const upstreams = upstreamsOf(app, model)
  const order = orderDeployments(
    upstreams.map(({ deployment }) => deployment),
    Math.random,
  )
  let failure = new UpstreamError('connect', {
    detail: 'no provider of the model hears live',
    executed: false,
  })
  for (const deployment of order) {
    const { live, timeouts } = upstreams.find((one) => one.deployment === deployment)!
    try {
      const link = await live.open(
        {
          ...{ upstreamModel: deployment.model, language, prompt, keywords, signal },
          timeouts: { ...timeouts, firstTokenMs: Math.min(timeouts.firstTokenMs, maxCommitMs) },
        },
        { partial, failed },
      )
      return new OpenStream(app, { model, plan }, link)
    } catch (error) {
      if (!(error instanceof UpstreamError) || signal.aborted) throw error
      failure = error
    }
  }
  throw failure
}

class OpenStream implements SpeechStream {
  readonly #app: Pick<PaidApp, 'config'>
  readonly #options: Omit<StreamRequest, 'events'>
  readonly #link: LiveLink
  #letters = 0

  constructor(app: Pick<PaidApp, 'config'>, options: Omit<StreamRequest, 'events'>, link: LiveLink) {
    this.#app = app
    this.#options = options
    this.#link = link
  }

  write(pcm: Uint8Array): void {
    this.#link.write(pcm)
  }

  async commit(): Promise<string> {
    const { text } = await this.#link.commit()
    this.#letters += text.length
    return text
  }

  async close(): Promise<StreamCost> {
    const usage = await this.#link.close()
    const { seconds } = usage
    const { model, plan } = this.#options
    const tokens = paidTokensOf(model, plan, { seconds, letters: this.#letters }, usage.tokens)
    const cost = seconds === 0 ? noCost : costOf(this.#app, model, { seconds, ...tokens })
    return { seconds, cost }
  }
}

const costOf = (
  app: Pick<PaidApp, 'config'>,
  model: TranscriptionModel,
  { seconds, input, output }: { seconds: number; input: number; output: number },
): Cost =>
  transcriptionModels.cost(model, app.config.defaults, {
    seconds: [seconds],
    inputTokens: input,
    outputTokens: output,
  })
