/**
 * One question to a model, asked for work whose money is somebody else's affair: what it may cost is promised before, what it did
 * cost is told after, however it ended. It holds and settles nothing.
 */
import type { App } from '#app'
import { costOf, ratesOf } from '#engine/metering'
import type { Model } from '#engine/models'
import { alarmClaims, type Claim, claimOf, PaidWatch, requireMayPay } from '#engine/paid'
import { type ModelsOptions, type PricedAttempt, priced } from '#engine/routing'
import type { FinishReason, Message, OutputFormat, Part, Tool, ToolCall, Turn, Usage } from '#engine/turn'
import { asFailure, type Failure } from '#platform/errors'
import type { Payer } from '#platform/ledger'
import type { Trail } from '#platform/trace'
import { nothing, Step } from './step.ts'
import { TurnWatch } from './turn-watch.ts'

export interface CallOptions extends ModelsOptions {
  /** Who pays. */
  payer: Pick<Payer, 'accountId' | 'keyId'>
  /** As `questionTurn` made it. */
  turn: Turn
  /** Of this call alone; upstreams are told it. */
  callId: string
  /** Aborts when nobody waits for the answer any more. */
  gone: AbortSignal
  /** Of the work that asks, for its spans. */
  trail: Trail
  /** The beginning of that work, from which times of attempts are counted; Unix milliseconds. */
  beganMs: number
}

export interface Called {
  text: string
  toolCalls: ToolCall[]
  /** Absent where the answer was cut. */
  finishReason: FinishReason | undefined
  usage: Usage
  usageSource: 'upstream' | 'estimated' | 'none'
  microcredits: bigint
  /** The model that answered, or was tried last. */
  model: string
  attempts: readonly PricedAttempt[]
  /** What its upstream claims that cannot be. */
  claims: Claim[]
  /** Why there is no whole answer. */
  failure?: Failure
  /** Whoever pays may pay for no more: nothing was asked. */
  isRefused: boolean
  /** No upstream can have done anything: the call may be made again. */
  cameToNothing: boolean
}

export interface PlainQuestion {
  messages: Message[]
  tools?: Tool[]
  output?: OutputFormat
  maxOutputTokens: number
}

/** The question as a turn; streamed, so that what a broken answer did cost is known. */
export function questionTurn(
  { messages, tools = [], output, maxOutputTokens }: PlainQuestion,
  model: Model,
): Turn {
  const knowsSchema = model.features.includes('json_schema')
  return {
    messages,
    tools,
    toolChoice: { type: 'auto' },
    parallelToolCalls: true,
    output: output?.type === 'json_schema' && !knowsSchema ? { type: 'text' } : (output ?? { type: 'text' }),
    requestedOutputTokens: maxOutputTokens,
    maxOutputTokens: Math.min(maxOutputTokens, model.maxOutputTokens),
    stop: [],
    stream: true,
    source: { wire: 'chat' },
  }
}

/** A question of so many bytes of prompt, whatever it says: for its worst case. */
export const boundTurn = (promptBytes: number, maxOutputTokens: number, model: Model): Turn => ({
  ...questionTurn({ messages: [], maxOutputTokens }, model),
  unreadBytes: promptBytes,
})

/** Never rejects for what an upstream does. */
export async function callModel(
  app: App,
  { callId, gone, trail, beganMs, payer, ...models }: CallOptions,
): Promise<Called> {
  const receivedMs = app.clock.nowMs()
  const paid = new PaidWatch(app, { model: models.model, receivedMs, trail })
  const watch = new TurnWatch(app, models.model, paid)
  const traceparent = watch.asks(models.turn)
  const run = app.inference.start({
    ...models,
    showsReasoning: false,
    background: true,
    mayAsk: (model) => requireMayPay(app, payer, model),
    receivedMs,
    requestId: callId,
    traceparent,
  })
  const step = new Step({ run, gone, isFetchable: false, onToken: () => watch.token() })
  const said = new Words()
  let failure: Failure | undefined
  try {
    for await (const part of step.parts()) said.add(part)
  } catch (error) {
    failure = asFailure(error)
  }
  const isFree = step.isFree(true)
  const usage = step.usage()
  const { model, attempts, finishReason } = step
  const trouble = step.fault?.fault ?? failure?.code
  const end = { attempts, usage: isFree ? nothing : usage, finishReason }
  paid.answered(attempts, watch.answered(end), trouble)
  const { usageSource } = step
  const claims = claimOf(attempts, step.disbelief)
  alarmClaims(app, callId, attempts, claims)
  const microcredits = isFree ? 0n : costOf(ratesOf(model.pricing, app.config.defaults), usage)
  const told = priced(attempts, isFree ? undefined : { microcredits, usage, usageSource })
  return {
    text: said.text,
    toolCalls: said.toolCalls,
    finishReason,
    usage: isFree ? nothing : usage,
    usageSource: isFree ? 'none' : usageSource,
    microcredits,
    model: model.id,
    attempts: told.map((attempt, at) => ({
      ...countedFrom(attempt, receivedMs - beganMs),
      attempt_id: `${callId}-${at + 1}`,
    })),
    claims,
    ...(failure && { failure }),
    isRefused: step.fault?.fault === 'not_allowed',
    cameToNothing: step.cameToNothing,
  }
}

/** With times that are counted from an earlier beginning. */
const countedFrom = <A extends PricedAttempt>(attempt: A, laterMs: number): A => ({
  ...attempt,
  started_ms: attempt.started_ms + laterMs,
  ...(attempt.first_part_ms !== undefined && { first_part_ms: attempt.first_part_ms + laterMs }),
  ...(attempt.ended_ms !== undefined && { ended_ms: attempt.ended_ms + laterMs }),
})

/** What was said, put together. */
class Words {
  text = ''
  readonly #calls = new Map<number, ToolCall>()

  get toolCalls(): ToolCall[] {
    return [...this.#calls.values()]
  }

  add(part: Part): void {
    if (part.type === 'text' || part.type === 'refusal') this.text += part.text
    else if (part.type === 'tool-call')
      this.#calls.set(part.index, { id: part.id, name: part.name, arguments: '' })
    else if (part.type === 'tool-arguments') {
      const call = this.#calls.get(part.index)
      if (call) call.arguments += part.delta
    }
  }
}
