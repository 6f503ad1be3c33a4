/** Texts turned into vectors: held at the worst case, asked at most once, settled at what was used. */
import type { App } from '#app'
import { failureOf } from '#engine/inference'
import {
  embeddingCost,
  estimatedEmbeddingTokens,
  mostEmbeddingTokens,
  possibleEmbeddingTokens,
} from '#engine/metering'
import type { EmbeddingModel } from '#engine/models'
import {
  alarmClaims,
  claimOf,
  clientLeft,
  countSettled,
  holdFor,
  type PaidCall,
  PaidWatch,
  requireMayPay,
} from '#engine/paid'
import type { EmbeddingRun } from '#engine/routing'
import { type Failure, fail } from '#platform/errors'
import { type Embedded, UpstreamError } from '#providers/spec'
import { replyOf } from './pack.ts'

export interface EmbedAsk extends PaidCall {
  model: EmbeddingModel
  /** At least one and at most `model.maxBatch`, each as `fitted` made it. */
  texts: readonly string[]
  /** Of each vector, where the caller wishes others than the model's. */
  dimensions?: number | undefined
  /** The finished JSON of an answer, kept with the settlement for replay; nothing of one that is too large. */
  replyOf?: ((vectors: Vectors) => string | undefined) | undefined
}

/** What came, and what it is charged. */
export interface Vectors {
  vectors: Float32Array[]
  tokens: number
  microcredits: bigint
}

export type EmbedOutcome =
  | Vectors
  /** `didNothing`: no upstream can have worked, so that it may be asked again. */
  | { failure: Failure; didNothing: boolean }

/** The beginning of a text that the model surely takes: two bytes a token, as the hold counts them, and room for the marks around it. */
export function fitted({ maxInputTokens }: EmbeddingModel, text: string): string {
  const most = 2 * (maxInputTokens - 4)
  const bytes = Buffer.from(text.toWellFormed())
  // What was cut within a character ends in the sign that stands for none.
  return bytes.length <= most
    ? bytes.toString()
    : bytes.toString('utf8', 0, most).replace(/(?<!\ufffd)\ufffd+$/, '')
}

/**
 * Throws MODEL_NOT_ALLOWED, and as `Ledger.hold` does; what an upstream does is answered. In the background the receipt keeps the
 * vectors (`vectorsIn`) until they are taken.
 */
export async function embed(app: App, ask: EmbedAsk): Promise<EmbedOutcome> {
  const { model, texts, caller, requestId, receivedMs, background, gone } = ask
  if (caller.models && !caller.models.has(model.id)) fail('MODEL_NOT_ALLOWED', { model: model.id })
  const watch = new PaidWatch(app, ask)
  const worst = embeddingCost(model.pricing, app.config.defaults, mostEmbeddingTokens(texts))
  const hold = await watch.hold(() => holdFor(app, ask, worst))
  const asking = watch.open('embeddings', {})
  const { encoding } = model
  const dimensions = ask.dimensions ?? model.dimensions
  const order = { texts, encoding, ...(dimensions !== undefined && { dimensions }) }
  const traceparent = asking?.traceparent
  const run = app.inference.startEmbedding({
    model,
    order,
    background,
    receivedMs,
    requestId,
    traceparent,
    mayAsk: (id) => requireMayPay(app, caller, id),
  })
  const came = await filledOf(run, gone)
  const end = endOf(app, ask, run, came, hold.microcredits)
  if (asking) {
    watch.tellAttempts(asking, run.attempts)
    asking.set({ 'gen_ai.usage.input_tokens': end.tokens })
    asking.end({ error: came.fault?.fault })
  }
  const told = { model, attempts: run.attempts, figures: { texts: texts.length } }
  const settled = await watch.settle(told, () => hold.settle(end.settlement))
  countSettled(app, settled)
  return end.outcome
}

type Came = { filled: Embedded; fault?: undefined } | { filled?: undefined; fault: UpstreamError }

async function filledOf(run: EmbeddingRun, gone: AbortSignal): Promise<Came> {
  const leave = (): void => run.leave()
  if (gone.aborted) leave()
  gone.addEventListener('abort', leave, { once: true })
  try {
    return { filled: await run.filled() }
  } catch (error) {
    return {
      fault: error instanceof UpstreamError ? error : new UpstreamError('malformed', { cause: error }),
    }
  } finally {
    gone.removeEventListener('abort', leave)
  }
}

function endOf(app: App, ask: EmbedAsk, run: EmbeddingRun, { filled, fault }: Came, held: bigint) {
  const { model, texts, gone, receivedMs, background = false } = ask
  const wasLeft = fault?.fault === 'aborted' && gone.aborted
  const guessed = estimatedEmbeddingTokens(texts)
  const claimed = filled?.usage?.input
  const counted = claimed === undefined ? guessed : Math.min(claimed, possibleEmbeddingTokens(texts))
  const claims =
    claimed === undefined || claimed === counted
      ? []
      : claimOf(run.attempts, { claimed: { input: claimed }, believed: { input: counted } })
  alarmClaims(app, ask.requestId, run.attempts, claims)
  // Who leaves while it is worked on pays what the upstream will ask for it; nobody else pays for what did not come.
  const tokens = filled ? counted : wasLeft && fault.executed ? guessed : 0
  const failure = fault && failureOf(fault)
  const isUntouched =
    fault !== undefined &&
    [...run.failures, fault].every((one) => !one.executed || (!background && wasRefused(one)))
  const detail = {
    outcome: failure ? (wasLeft ? 'client_left' : 'failed') : 'completed',
    texts: texts.length,
    usage_source: filled?.usage ? 'upstream' : tokens > 0 ? 'estimated' : 'none',
    attempts: run.attempts,
    ...(claims.length > 0 && { claims }),
    total_ms: app.clock.nowMs() - receivedMs,
    ...(failure && { error_code: failure.code }),
    ...(background && fault?.executed && { may_have_run: true }),
  }
  const cost = embeddingCost(model.pricing, app.config.defaults, tokens)
  const came = filled && { vectors: filled.vectors, tokens, microcredits: cost < held ? cost : held }
  const settlement = {
    microcredits: cost,
    // Its bound is that of the texts: a count beyond it is not the caller's debt.
    withinHold: true,
    state: failure ? ('failed' as const) : ('completed' as const),
    statusCode: wasLeft ? clientLeft : (failure?.status ?? 200),
    model: model.id,
    tokens: { input: tokens, cachedInput: 0, output: 0, reasoning: 0 },
    detail,
    reply: came && (background ? replyOf(came.vectors) : ask.replyOf?.(came)),
    freeClaim: isUntouched,
    urgent: true,
  }
  const outcome: EmbedOutcome = came ?? { failure: failure!, didNothing: isUntouched }
  return { settlement, outcome, tokens }
}

/** As routing sees it: an error status brings no vectors and no bill. A broken line or silence proves nothing. */
const wasRefused = ({ status }: UpstreamError): boolean => (status ?? 0) >= 400
