/**
 * One model call for work that manages its own hold: the caller has reserved the worst case before, and gets the actual cost
 * afterwards, however the call ended. Nothing is held or settled here.
 */
import { type Cost, type Model, noCost, textModels } from '#core/models'
import {
  alarmClaims,
  claimsOfCorrection,
  PaidTelemetry,
  requireActivePayer,
  type UsageClaim,
} from '#core/paid'
import { type ModelsOptions, type PricedAttempt, priceAttempts } from '#core/routing'
import type { AnswerPart, FinishReason, Message, OutputFormat, Tool, ToolCall, Turn, Usage } from '#core/turn'
import type { Failure } from '#platform/errors'
import type { Payer } from '#platform/ledger'
import type { TraceContext } from '#platform/trace'
import type { TurnApp } from './app.ts'
import { type AnswerListener, ModelStep, noUsage } from './step.ts'
import { TurnTelemetry } from './turn-telemetry.ts'

export interface CallOptions extends ModelsOptions {
  /** The account and the key that pay. */
  payer: Pick<Payer, 'accountId' | 'keyId'>
  /** A turn that `questionTurn` made. */
  turn: Turn
  /** An id unique to this call; it is sent to upstreams. */
  callId: string
  /** Aborts when nobody waits for the answer any more. */
  gone: AbortSignal
  /** The trace of the work that makes this call, for the spans of the call. */
  trace: TraceContext
  /** When the work that makes this call began, in Unix milliseconds; the times of attempts are counted from it. */
  beganMs: number
}

export interface ModelCallResult {
  text: string
  toolCalls: ToolCall[]
  /** Absent when the answer was cut off. */
  finishReason: FinishReason | undefined
  usage: Usage
  usageSource: 'upstream' | 'estimated' | 'none'
  cost: Cost
  /** What an upstream may bill for the call, whoever pays it. */
  billed: UpstreamBill
  /** The model that answered, or else the last one tried. */
  model: string
  attempts: readonly PricedAttempt[]
  /** Usage reported by the upstream that is impossible and was corrected. */
  claims: UsageClaim[]
  /** Why there is no complete answer. */
  failure?: Failure
  /** True if the payer's key no longer permits this call; then no upstream was called. */
  isRefused: boolean
  /** True if no upstream can have executed anything, so that the call may be repeated. */
  hadNoEffect: boolean
}

/** For a whole answer its cost; for an answer whose end was lost the most that was ordered, as far as the upstream has not reported its counts. */
export interface UpstreamBill {
  cost: Cost
  usage: Usage
  usageSource: ModelCallResult['usageSource']
}

export interface PlainQuestion {
  messages: Message[]
  tools?: Tool[]
  output?: OutputFormat
  maxOutputTokens: number
}

/** The question as a turn; streamed, so that the cost of an interrupted answer is known. */
export function questionTurn(
  { messages, tools = [], output, maxOutputTokens }: PlainQuestion,
  model: Model,
): Turn {
  const knowsSchema = model.features.includes('json_schema')
  return {
    messages,
    tools,
    toolChoice: { type: 'auto' },
    output: output?.type === 'json_schema' && !knowsSchema ? { type: 'text' } : (output ?? { type: 'text' }),
    requestedOutputTokens: maxOutputTokens,
    maxOutputTokens: Math.min(maxOutputTokens, model.maxOutputTokens),
    stop: [],
    stream: true,
    source: { wire: 'chat' },
  }
}

/** A turn with a prompt of `promptBytes` bytes and no content, to compute a worst case. */
export const boundTurn = (promptBytes: number, maxOutputTokens: number, model: Model): Turn => ({
  ...questionTurn({ messages: [], maxOutputTokens }, model),
  passthroughBytes: promptBytes,
})

/** Calls the model. Never rejects because of an upstream failure; see `failure` in the result. */
export async function callModel(
  app: TurnApp,
  { callId, gone, trace, beganMs, payer, ...models }: CallOptions,
): Promise<ModelCallResult> {
  const receivedMs = app.clock.nowMs()
  const paid = new PaidTelemetry(app, { model: models.model, receivedMs, trace })
  const watch = new TurnTelemetry(app, models.model, paid)
  const traceparent = watch.beginCall(models.turn)
  const run = app.inference.start({
    ...models,
    showsReasoning: false,
    background: true,
    mayCall: (model) => requireActivePayer(app, payer, model),
    receivedMs,
    requestId: callId,
    traceparent,
  })
  const step = new ModelStep({
    run,
    isFetchable: false,
    showsReasoning: false,
    prices: app.config.defaults,
    onToken: () => watch.token(),
  })
  const answer = new AnswerCollector()
  const failure = await answer.read(step, gone)
  const isFree = step.isFree(true)
  const usage = step.usage()
  const { attempts, finishReason } = step
  const trouble = step.fault?.fault ?? failure?.code
  const end = { attempts, usage: isFree ? noUsage : usage, finishReason }
  paid.endCall(attempts, watch.endCall(end), trouble)
  const { usageSource } = step
  const claims = claimsOfCorrection(attempts, step.usageCorrection)
  alarmClaims(app, callId, attempts, claims)
  const cost = isFree ? noCost : step.cost()
  const { microcredits } = cost
  const billed = isFree ? lostAnswerBill(app, step, models.turn) : { cost, usage, usageSource }
  const pricedAttempts = priceAttempts(attempts, isFree ? undefined : { microcredits, usage, usageSource })
  return {
    text: answer.text,
    toolCalls: answer.toolCalls,
    finishReason,
    usage: isFree ? noUsage : usage,
    usageSource: isFree ? 'none' : usageSource,
    cost,
    billed,
    model: step.model.id,
    attempts: pricedAttempts.map((attempt, at) => ({
      ...shiftAttemptTimes(attempt, receivedMs - beganMs),
      attempt_id: `${callId}-${at + 1}`,
    })),
    claims,
    ...(failure && { failure }),
    isRefused: step.fault?.fault === 'not_allowed',
    hadNoEffect: step.hadNoEffect,
  }
}

/** What may be billed for an answer that did not come to its end: nothing if certainly nothing was executed, else all that was ordered. */
function lostAnswerBill(
  app: Pick<TurnApp, 'config'>,
  step: ModelStep,
  { maxOutputTokens }: Turn,
): UpstreamBill {
  if (step.hadNoEffect) return { cost: noCost, usage: noUsage, usageSource: 'none' }
  const counted = step.usage()
  const { usageSource } = step
  const usage =
    usageSource === 'upstream'
      ? counted
      : { ...counted, output: Math.max(counted.output, maxOutputTokens ?? 0) }
  return { cost: textModels.cost(step.model, app.config.defaults, usage), usage, usageSource }
}

/** The attempt with its times counted from an earlier start. */
const shiftAttemptTimes = <A extends PricedAttempt>(attempt: A, laterMs: number): A => ({
  ...attempt,
  started_ms: attempt.started_ms + laterMs,
  ...(attempt.first_part_ms !== undefined && { first_part_ms: attempt.first_part_ms + laterMs }),
  ...(attempt.ended_ms !== undefined && { ended_ms: attempt.ended_ms + laterMs }),
})

/** Collects the text and tool calls of an answer from its parts. */
class AnswerCollector implements AnswerListener {
  text = ''
  readonly #calls = new Map<number, ToolCall>()
  readonly #ended = Promise.withResolvers<Failure | undefined>()

  get toolCalls(): ToolCall[] {
    return [...this.#calls.values()]
  }

  /** Reads the answer to its end; returns the failure if the answer is not complete. The step is left when `gone` aborts. */
  async read(step: ModelStep, gone: AbortSignal): Promise<Failure | undefined> {
    const leave = (): void => step.leave()
    gone.addEventListener('abort', leave, { once: true })
    if (gone.aborted) leave()
    step.start(this)
    const failure = await this.#ended.promise
    gone.removeEventListener('abort', leave)
    return failure
  }

  flush(): void {}

  done(): void {
    this.#ended.resolve(undefined)
  }

  failed(failure: Failure): void {
    this.#ended.resolve(failure)
  }

  part(part: AnswerPart): void {
    if (part.type === 'text' || part.type === 'refusal') this.text += part.text
    else if (part.type === 'tool-call')
      this.#calls.set(part.index, { id: part.id, name: part.name, arguments: '' })
    else if (part.type === 'tool-arguments') {
      const call = this.#calls.get(part.index)
      if (call) call.arguments += part.delta
    }
  }
}
