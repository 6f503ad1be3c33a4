/** Begins a call: writes its row and its hold, in one transaction. */
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { type Claim, holdInTx, type Payer } from '#platform/ledger'
import type { Transport, UpstreamCall } from './parts.ts'
import { type EngineName, insertCall, lockKey, runningCallCount } from './store.ts'

export interface NewCall {
  callId: string
  payer: Payer
  /** The receipt of its request; UUID. */
  receiptId: string
  endpoint: string
  /** The process that will have the call. */
  processId: string
  transport: Transport['kind']
  engine: EngineName
  model: string
  agentId?: string | undefined
  customerId?: string | undefined
  referenceId?: string | undefined
  claim?: Claim | undefined
  /** The client secret that begins it. */
  secretHash?: Buffer | undefined
  /** Whether the words and the sound of the call are kept. */
  store?: boolean | undefined
  maxSeconds: number
  /** The call at the upstream, for the engine `passthrough`: it is hung up there when the call ends. */
  upstream?: UpstreamCall | undefined
  /** The most that the first turn may cost, and `firstHoldSeconds` of a call whose time costs credits; in micro-credits. */
  held: bigint
  /** The most calls of the key that may run at once, over all processes. */
  callsOfKey: number
  /** The finished answer; without a reply a repeat cannot be answered by it. */
  accepted: { statusCode: number; reply?: string | undefined }
}

/**
 * Writes the call. Throws CONCURRENCY_LIMITED where the key has as many calls as it may, and what `holdIn` throws; then nothing has begun. Once this
 * is committed, give the call to its process (`RealtimeCalls.add`); a call that does not connect soon is ended.
 */
export async function beginCall(tx: Tx, call: NewCall, now: Date): Promise<void> {
  const { accountId, projectId, keyId } = call.payer
  await lockKey(tx, keyId)
  if ((await runningCallCount(tx, { accountId, keyId })) >= call.callsOfKey)
    fail('CONCURRENCY_LIMITED', { whose: 'key' }, { retryAfterMs: 5_000 })
  await insertCall(tx, {
    account_id: accountId,
    call_id: call.callId,
    project_id: projectId,
    key_id: keyId,
    receipt_id: call.receiptId,
    process_id: call.processId,
    transport: call.transport,
    engine: call.engine,
    model: call.model,
    agent_id: call.agentId ?? null,
    customer_id: call.customerId ?? null,
    status: 'starting',
    reason: null,
    turns: 0,
    tick_at: now,
    end_asked_at: null,
    created_at: now,
    connected_at: null,
    expires_at: new Date(now.getTime() + call.maxSeconds * 1000),
    ended_at: null,
    charged: null,
    file_id: null,
    secret_hash: call.secretHash ?? null,
    store: call.store ?? false,
    sound: call.store ? 'recording' : null,
    upstream_call: call.upstream?.id ?? null,
    upstream_provider: call.upstream?.provider ?? null,
  })
  const { payer, receiptId, endpoint, held, model, claim, customerId, referenceId, accepted } = call
  // The hold has no expiry of its own: the code that ends the call settles it.
  const hold = { payer, receiptId, endpoint, microcredits: held, model, claim, customerId, referenceId }
  await holdInTx(tx, { ...hold, accepted }, now)
}
