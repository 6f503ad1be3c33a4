/** A call begins: who may, which model, a place, and the first hold. */
import type { Static } from 'typebox'
import type { App } from '#app'
import { agentOfCall } from '#capabilities/agents'
import { payer } from '#capabilities/calls'
import { type RealtimeModel, realtimeModels } from '#engine/models'
import {
  beginCall,
  type CallAgent,
  type CallSession,
  type CallSettings,
  type ClientSecretRow,
  type EndReason,
  findClientSecret,
  firstSeconds,
  type MoneyListener,
  type RunningMoney,
  runningOf,
  takeClientCall,
} from '#engine/realtime'
import { fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import { uuidv7 } from '#platform/ids'
import { modelsOf, worstOf } from './call-engine.ts'
import { requireAgentModel, requireRealtimeModel } from './chosen-model.ts'
import { firstSession } from './first-session.ts'
import type { SocketQuery } from './schema.ts'

export type Asking = RequestContext<unknown, Static<typeof SocketQuery>>

/** A call that is paid for and has no client yet. */
export interface BegunCall {
  callId: string
  model: RealtimeModel
  /** Undefined where the model answers by itself. */
  agent: CallAgent | undefined
  settings: CallSettings
  ignored: readonly string[]
  expiresAtMs: number
  money: RunningMoney
  listener: EndingCall
}

const endpoint = '/v1/realtime'
const retryAfterMs = 5_000

/**
 * Begins a call in the name of its key. Throws, before anything is held: the refusals of its model and session, CONCURRENCY_LIMITED,
 * VOICE_BUSY, INVALID_API_KEY for a client secret that is used up; and what a hold throws.
 */
export async function begin(context: Asking): Promise<BegunCall> {
  const { app, caller } = context
  const secret = await clientSecretOf(context)
  // What a client secret was made for stands: clients send the model of their vendor beside it.
  const agentId = secret ? secret.agent_id : context.query.agent_id
  const agent = agentId ? await agentOfCall(context, agentId) : undefined
  const named = secret ? (secret.model ?? undefined) : context.query.model
  const model = agent ? requireAgentModel(context, agent, named) : requireRealtimeModel(context, named)
  const { settings, ignored } = firstSession(context, model, secret?.session ?? {})
  if ((await runningOf(app.db.kysely, caller)) >= app.config.voice.callsPerKey)
    fail('CONCURRENCY_LIMITED', { whose: 'key' }, { retryAfterMs })
  const { capacity } = app.config.voice
  using _place = app.realtime.reserve() ?? fail('VOICE_BUSY', { capacity }, { retryAfterMs })
  return hold(context, { model, agent, settings, ignored, secret })
}

/** Undefined for a caller with a key. */
async function clientSecretOf({
  app,
  caller: { clientSecretHash: hash },
}: Asking): Promise<ClientSecretRow | undefined> {
  if (!hash) return undefined
  const now = new Date(app.clock.nowMs())
  return (await findClientSecret(app.db, hash, now)) ?? fail('INVALID_API_KEY', {})
}

interface Chosen extends Pick<BegunCall, 'model' | 'agent' | 'settings' | 'ignored'> {
  secret: ClientSecretRow | undefined
}

async function hold(context: Asking, chosen: Chosen): Promise<BegunCall> {
  const { model, agent, settings, secret } = chosen
  const { app, caller, requestId } = context
  const { callsPerKey, maxSeconds } = app.config.voice
  const nowMs = app.clock.nowMs()
  const callId = uuidv7(nowMs)
  const timePrice = timePriceOf(app, model)
  const held = worstOf(context, { model, agent, settings }) + (timePrice?.(firstSeconds) ?? 0n)
  const named = { callId, model: model.id, processId: app.realtime.processId, receiptId: requestId, held }
  const { customerId, referenceId } = payer(context)
  await app.db.tx(async (tx) => {
    const now = new Date(nowMs)
    if (secret && !(await takeClientCall(tx, secret.secret_hash, now))) fail('INVALID_API_KEY', {})
    await beginCall(
      tx,
      {
        ...named,
        ...{ payer: caller, endpoint, transport: 'websocket', engine: model.engine, customerId, referenceId },
        secretHash: secret?.secret_hash,
        agentId: agent?.agentId,
        ...{ maxSeconds, callsOfKey: callsPerKey, accepted: { statusCode: 101 } },
      },
      now,
    )
  })
  const listener = new EndingCall()
  const owner = { accountId: caller.accountId, payer: caller, models: modelsOf(app, model) }
  const money = app.realtime.add({ ...named, ...owner, createdMs: nowMs, timePrice }, listener)
  const { ignored } = chosen
  return { callId, model, agent, settings, ignored, money, listener, expiresAtMs: nowMs + maxSeconds * 1000 }
}

function timePriceOf(app: App, model: RealtimeModel): ((seconds: number) => bigint) | undefined {
  if (model.pricing.perMinute === 0) return undefined
  return (seconds) => realtimeModels.price(model, app.config.defaults, { seconds })
}

/** Hands what the money of a call says to its session, which may come later. */
export class EndingCall implements MoneyListener {
  #session: CallSession | undefined
  #reason: EndReason | undefined

  join(session: CallSession): void {
    this.#session = session
    if (this.#reason) session.end(this.#reason)
  }

  end(reason: EndReason): void {
    this.#reason = reason
    this.#session?.end(reason)
  }

  warn(): void {
    this.#session?.warn()
  }
}
