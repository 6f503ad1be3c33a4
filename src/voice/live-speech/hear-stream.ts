/** What somebody says in a call, written down while it is spoken, over a connection of its own to an upstream. */
import type { App } from '#app'
import { type TranscriptionModel, transcriptionModels } from '#core/models'
import { inOrder } from '#core/routing'
import { type LiveLink, UpstreamError } from '#core/spec'
import { heardTokens, maxTokensOf, type TranscriptionPlan } from '#media/transcription'
import { planOf } from './hear-live.ts'

/** Of one connection: a turn, with its silence. */
export const maxStreamSeconds = 64

export interface StreamOptions {
  model: TranscriptionModel
  /** As of `HearingOptions`. */
  language?: string | undefined
  prompt?: string | undefined
}

/** A connection that is not opened. */
export interface StreamPlan {
  /** What it may cost at most, in micro-credits. */
  readonly worst: bigint
  /** The first deployment that answers. Throws `UpstreamError`: nothing was heard then, and nothing is to be paid. */
  open(events: StreamEvents): Promise<SpeechStream>
}

export interface StreamEvents {
  signal: AbortSignal
  /** All that is understood since the last commit, in place of what was said before. */
  partial(text: string): void
  /** It is over; a commit that is open has rejected. */
  failed(error: UpstreamError): void
}

export interface SpeechStream {
  /** 16 kHz, mono, 16 bits, little-endian; at most `maxStreamSeconds` of it. */
  write(pcm: Uint8Array): void
  /** The words of all that was written since the last one. One at a time. Rejects with `UpstreamError`. */
  commit(): Promise<string>
  /** Ends it, with what it cost. Never rejects. */
  close(): Promise<StreamCost>
}

export interface StreamCost {
  seconds: number
  microcredits: bigint
}

/** Whether a provider of this model hears sound while it is spoken. */
export const hearsLive = (app: App, model: TranscriptionModel): boolean =>
  model.transcription.hearsLive && upstreamsOf(app, model).length > 0

const upstreamsOf = ({ inference }: App, { deployments }: TranscriptionModel) =>
  deployments.flatMap((deployment) => {
    const upstream = inference.upstreamOf(deployment.provider)
    return upstream?.live ? [{ deployment, live: upstream.live, timeouts: upstream.timeouts }] : []
  })

export function planStream(app: App, options: StreamOptions): StreamPlan {
  const { model } = options
  const { plan } = planOf(model, maxStreamSeconds, options)
  const most = maxTokensOf(plan, maxStreamSeconds)
  return {
    worst: costOf(app, model, { seconds: maxStreamSeconds, ...most }),
    open: (events) => open(app, { model, plan, events }),
  }
}

/** Whoever waits for words in a call is answered by a recording in place of them, after so long. */
const maxCommitMs = 4_000

interface Opening {
  model: TranscriptionModel
  plan: TranscriptionPlan
  events: StreamEvents
}

async function open(app: App, { model, plan, events }: Opening): Promise<SpeechStream> {
  const { signal, partial, failed } = events
  const { language, prompt, keywords } = plan.settings
  const upstreams = upstreamsOf(app, model)
  const order = inOrder(
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
  readonly #app: App
  readonly #options: Omit<Opening, 'events'>
  readonly #link: LiveLink
  #letters = 0

  constructor(app: App, options: Omit<Opening, 'events'>, link: LiveLink) {
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
    const tokens = heardTokens(model, plan, { seconds, letters: this.#letters }, usage.tokens)
    const microcredits = seconds === 0 ? 0n : costOf(this.#app, model, { seconds, ...tokens })
    return { seconds, microcredits }
  }
}

const costOf = (
  app: App,
  model: TranscriptionModel,
  { seconds, input, output }: { seconds: number; input: number; output: number },
): bigint =>
  transcriptionModels.price(model, app.config.defaults, {
    seconds: [seconds],
    inputTokens: input,
    outputTokens: output,
  })
