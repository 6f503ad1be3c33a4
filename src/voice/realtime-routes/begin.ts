/**
 * Begins a call, one step after the other: the requested call is read, a place reserved, the request answered, and the row of the call written with
 * its first hold.
 */
import { payer } from '#core/calls'
import { fail } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import {
  beginCall,
  type CallSettings,
  consumeSecretCall,
  firstHoldSeconds,
  type NewCall,
  type RunningMoney,
  runningCallCount,
  type UpstreamCall,
} from '#voice/realtime'
import type { CallContext } from './app.ts'
import { type CallModel, engineOf, modelsOf, timeCostOf, worstCaseOfTurn } from './call-model.ts'
import { MoneyEventForwarder } from './money-events.ts'
import { type CallChoice, type RequestedCall, requestedCall } from './requested-call.ts'
import { warmCall } from './warm-call.ts'

/** The call that the request asks for, and how the request is answered. */
export interface BeginCallOptions extends CallChoice {
  /** The endpoint that the receipt names. */
  endpoint: string
  /** The longest duration in seconds, where it is to be below that of the server. */
  maxSeconds?: number | undefined
  /** Makes the answer to the request; called when only the hold can still refuse the call. An error that it throws refuses the call. */
  accept(call: CallFacts): CallAcceptance | Promise<CallAcceptance>
}

/** The `accepted` and `upstream` of `NewCall`. */
interface CallAcceptance {
  statusCode: number
  reply?: string
  /** The call at an upstream that the caller is connected to directly. */
  upstream?: UpstreamCall | undefined
}

/** The facts of a call that only its hold can still refuse. */
export interface CallFacts {
  callId: string
  model: CallModel
  settings: CallSettings
  createdMs: number
  expiresAtMs: number
  maxSeconds: number
  /** The held micro-credits. */
  held: bigint
}

/** A call that is paid for and has no client yet. */
export interface BegunCall extends Omit<RequestedCall, 'secret'> {
  callId: string
  expiresAtMs: number
  money: RunningMoney
  listener: MoneyEventForwarder
}

const retryAfterMs = 5_000

/**
 * Begins a call in the name of its key. Throws, before anything is held, the refusals of its model and session, CONCURRENCY_LIMITED, VOICE_BUSY, and
 * INVALID_API_KEY for a client secret that is used up; then the errors of a hold.
 */
export async function begin(context: CallContext, options: BeginCallOptions): Promise<BegunCall> {
  const call = await requestedCall(context, options)
  await requireFewerCalls(context)
  using _place = reservePlace(context)
  const facts = factsOf(context, options, call)
  // Refuses ids that are too long before an upstream takes the call.
  const { customerId, referenceId, claim } = payer(context)
  const accepted = await options.accept(facts)
  await writeCall(context, { options, call, facts, accepted, named: { customerId, referenceId, claim } })
  void warmCall(context.app, call)
  return startMoney(context, options, call, facts)
}

/** Throws CONCURRENCY_LIMITED where the key has as many calls as it may. */
async function requireFewerCalls({ app, caller }: CallContext): Promise<void> {
  if ((await runningCallCount(app.db.kysely, caller)) >= app.config.voice.callsPerKey)
    fail('CONCURRENCY_LIMITED', { whose: 'key' }, { retryAfterMs })
}

/** Reserves a place in this process, until it is disposed. Throws VOICE_BUSY. */
function reservePlace({ app }: CallContext): Disposable {
  const { capacity } = app.config.voice
  return app.realtime.reservePlace() ?? fail('VOICE_BUSY', { capacity }, { retryAfterMs })
}

function factsOf(
  context: CallContext,
  { maxSeconds: requestedSeconds = Number.POSITIVE_INFINITY }: BeginCallOptions,
  call: RequestedCall,
): CallFacts {
  const { clock, config } = context.app
  const { model, settings } = call
  const createdMs = clock.nowMs()
  const maxSeconds = Math.min(requestedSeconds, config.voice.maxSeconds)
  const firstTime = timeCostOf(context.app, model)?.(firstHoldSeconds).microcredits ?? 0n
  return {
    ...{ model, settings, callId: uuidv7(createdMs), held: worstCaseOfTurn(context, call) + firstTime },
    ...{ createdMs, maxSeconds, expiresAtMs: createdMs + maxSeconds * 1000 },
  }
}

interface AcceptedCall {
  options: BeginCallOptions
  call: RequestedCall
  facts: CallFacts
  accepted: CallAcceptance
  named: Pick<NewCall, 'customerId' | 'referenceId' | 'claim'>
}

/** Writes the row of the call and its hold in one transaction, in which a client secret is used once more. */
async function writeCall(
  context: CallContext,
  { options, call, facts, accepted: { upstream, ...accepted }, named }: AcceptedCall,
): Promise<void> {
  const { app, caller, requestId } = context
  const { transport, endpoint } = options
  const { model, agent, secret, store } = call
  const { callId, held, maxSeconds } = facts
  const now = new Date(facts.createdMs)
  await app.db.tx(async (tx) => {
    if (secret && !(await consumeSecretCall(tx, secret.secret_hash, now))) fail('INVALID_API_KEY', {})
    await beginCall(
      tx,
      {
        ...{ callId, payer: caller, receiptId: requestId, processId: app.realtime.processId, endpoint },
        ...{ transport, engine: engineOf(model, transport), model: model.id, agentId: agent?.agentId },
        ...{ ...named, secretHash: secret?.secret_hash, store },
        ...{ maxSeconds, upstream, held, callsOfKey: app.config.voice.callsPerKey, accepted },
      },
      now,
    )
  })
}

/** Gives the written call to this process, which ends and settles it from here on. */
function startMoney(
  { app, caller, requestId }: CallContext,
  { transport }: BeginCallOptions,
  { secret: _, ...call }: RequestedCall,
  { callId, createdMs, expiresAtMs, held }: CallFacts,
): BegunCall {
  const { model } = call
  const listener = new MoneyEventForwarder()
  const money = app.realtime.add(
    {
      ...{ callId, model: model.id, processId: app.realtime.processId, receiptId: requestId, held },
      ...{ accountId: caller.accountId, payer: caller, models: modelsOf(app, model) },
      sessionId: caller.sessionId,
      ...{ engine: engineOf(model, transport), transport, createdMs },
      timeCost: timeCostOf(app, model),
    },
    listener,
  )
  return { ...call, callId, expiresAtMs, money, listener }
}
