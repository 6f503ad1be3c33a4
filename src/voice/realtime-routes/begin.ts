/** Begins a call: checks the caller, chooses the model, reserves a place, and takes the first hold. */
import type { CallAgent } from '#core/call-agent'
import { payer } from '#core/calls'
import { realtimeModels } from '#core/models'
import { fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import { uuidv7 } from '#platform/ids'
import {
  beginCall,
  type CallSession,
  type CallSettings,
  type ClientSecretRow,
  consumeSecretCall,
  type EndReason,
  findClientSecret,
  firstHoldSeconds,
  type MoneyListener,
  namesHosted,
  type RunningMoney,
  runningCallCount,
  type Transport,
  type UpstreamCall,
} from '#voice/realtime'
import { agentOfCall } from '#work/agents'
import type { CallApp } from './app.ts'
import { type CallModel, engineOf, modelsOf, worstCaseOfTurn } from './call-engine.ts'
import { requireAgentModel, requireCallModel } from './chosen-model.ts'
import { firstSession } from './first-session.ts'
import { reasons } from './phrases.ts'

/** The request that begins a call. */
export type CallContext = RequestContext<CallApp>

/** The call that the request asks for. */
export interface BeginCallOptions {
  transport: Transport['kind']
  /** The endpoint that the receipt names. */
  endpoint: string
  model: string | undefined
  /** The agent that answers. A client secret has its own, or none. */
  agentId: string | undefined
  /** The sessions, applied one after the other, as if each were a `session.update`. */
  sessions: readonly Record<string, unknown>[]
  /** The longest duration in seconds, where it is to be below that of the server. */
  maxSeconds?: number | undefined
  /** Whether the words and the sound of the call are to be kept. */
  store?: boolean | undefined
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
export interface BegunCall {
  callId: string
  model: CallModel
  /** Undefined where the model answers without an agent. */
  agent: CallAgent | undefined
  settings: CallSettings
  ignored: readonly string[]
  /** Whether the words and the sound of the call are kept. */
  store: boolean
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
  const { app, caller } = context
  const secret = await clientSecretOf(context)
  // The settings of a client secret win: clients send the model of their vendor beside it.
  const agentId = secret ? secret.agent_id : options.agentId
  const agent = agentId ? await agentOfCall(context, agentId) : undefined
  const named = secret ? (secret.model ?? undefined) : options.model
  const sessions = secret ? [secret.session, ...options.sessions] : options.sessions
  const [first] = secret ? [secret.session] : options.sessions
  const model = agent ? requireAgentModel(context, agent, named) : requireCallModel(context, named, first)
  const { settings, ignored } = firstSession(context, model, ...sessions)
  if (engineOf(model, options.transport) === 'passthrough')
    requirePassthroughSettings({ sessions, store: secret ? secret.store : options.store })
  if ((await runningCallCount(app.db.kysely, caller)) >= app.config.voice.callsPerKey)
    fail('CONCURRENCY_LIMITED', { whose: 'key' }, { retryAfterMs })
  const { capacity } = app.config.voice
  using _place = app.realtime.reservePlace() ?? fail('VOICE_BUSY', { capacity }, { retryAfterMs })
  return holdAndBegin(context, options, { model, agent, settings, ignored, secret })
}

/** The client secret of the caller; undefined for a caller with a key. */
async function clientSecretOf({
  app,
  caller: { clientSecretHash: hash },
}: CallContext): Promise<ClientSecretRow | undefined> {
  if (!hash) return undefined
  const now = new Date(app.clock.nowMs())
  return (await findClientSecret(app.db, hash, now)) ?? fail('INVALID_API_KEY', {})
}

/** Refuses settings of a passthrough call that need its sound or its events, which do not pass through this server. */
function requirePassthroughSettings({
  sessions,
  store,
}: {
  sessions: readonly Record<string, unknown>[]
  store: boolean | undefined
}): void {
  if (store) fail('INVALID_REQUEST', { why: reasons.passedStore }, { param: 'store' })
  if (sessions.some(({ tools }) => namesHosted(tools)))
    fail('INVALID_REQUEST', { why: reasons.passedTools }, { param: 'session.tools' })
}

interface ResolvedCall extends Pick<BegunCall, 'model' | 'agent' | 'settings' | 'ignored'> {
  secret: ClientSecretRow | undefined
}

async function holdAndBegin(
  context: CallContext,
  options: BeginCallOptions,
  chosen: ResolvedCall,
): Promise<BegunCall> {
  const { app, caller, requestId } = context
  const { model, agent, settings, ignored, secret } = chosen
  const { transport, endpoint } = options
  const timePrice = timePriceOf(app, model)
  const held = worstCaseOfTurn(context, { model, agent, settings }) + (timePrice?.(firstHoldSeconds) ?? 0n)
  const facts = factsOf(context, options, { model, settings, held })
  const { callId, createdMs, expiresAtMs, maxSeconds } = facts
  const named = { callId, model: model.id, processId: app.realtime.processId, receiptId: requestId, held }
  // The setting of a client secret applies to every caller who uses it.
  const store = secret ? secret.store : (options.store ?? false)
  const { customerId, referenceId, claim } = payer(context)
  const { upstream, ...accepted } = await options.accept(facts)
  await app.db.tx(async (tx) => {
    const now = new Date(createdMs)
    if (secret && !(await consumeSecretCall(tx, secret.secret_hash, now))) fail('INVALID_API_KEY', {})
    await beginCall(
      tx,
      {
        ...named,
        ...{
          payer: caller,
          endpoint,
          transport,
          engine: engineOf(model, transport),
          customerId,
          referenceId,
          claim,
        },
        secretHash: secret?.secret_hash,
        store,
        agentId: agent?.agentId,
        ...{ maxSeconds, callsOfKey: app.config.voice.callsPerKey, accepted, upstream },
      },
      now,
    )
  })
  const listener = new MoneyEventForwarder()
  const owner = { accountId: caller.accountId, payer: caller, models: modelsOf(app, model) }
  const kinds = { engine: engineOf(model, transport), transport }
  const money = app.realtime.add({ ...named, ...owner, ...kinds, createdMs, timePrice }, listener)
  return { callId, model, agent, settings, ignored, store, money, listener, expiresAtMs }
}

function factsOf(
  { app: { clock, config } }: CallContext,
  { maxSeconds: wished = Number.POSITIVE_INFINITY }: BeginCallOptions,
  chosen: Pick<CallFacts, 'model' | 'settings' | 'held'>,
): CallFacts {
  const createdMs = clock.nowMs()
  const maxSeconds = Math.min(wished, config.voice.maxSeconds)
  return {
    ...chosen,
    callId: uuidv7(createdMs),
    ...{ createdMs, maxSeconds, expiresAtMs: createdMs + maxSeconds * 1000 },
  }
}

function timePriceOf(
  { config }: Pick<CallApp, 'config'>,
  model: CallModel,
): ((seconds: number) => bigint) | undefined {
  // A transcription costs only for the speech.
  if (model.kind === 'transcription' || model.pricing.perMinute === 0) return undefined
  return (seconds) => realtimeModels.price(model, config.defaults, { seconds })
}

/** Passes the messages of a call's money on to its session, which may join later. */
export class MoneyEventForwarder implements MoneyListener {
  #session: Pick<CallSession, 'end' | 'warn' | 'announceEnd'> | undefined
  #reason: EndReason | undefined
  #isWarned = false
  #stopSeconds: number | undefined

  join(session: Pick<CallSession, 'end' | 'warn' | 'announceEnd'>): void {
    this.#session = session
    if (this.#isWarned) session.warn()
    if (this.#stopSeconds !== undefined) session.announceEnd('stopped', this.#stopSeconds)
    if (this.#reason) session.end(this.#reason)
  }

  end(reason: EndReason): void {
    this.#reason = reason
    this.#session?.end(reason)
  }

  warn(): void {
    this.#isWarned = true
    this.#session?.warn()
  }

  stopping(seconds: number): void {
    this.#stopSeconds = seconds
    this.#session?.announceEnd('stopped', seconds)
  }
}
