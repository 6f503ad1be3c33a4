/** Realtime calls without sound: their rows, their money and whoever is told to end them, on the database of a world. */

import type { App } from '#app'
import { type Cost, costOfLines } from '#core/models'
import { uuidv7 } from '#platform/ids'
import type { Payer } from '#platform/ledger'
import {
  type AddedCall,
  beginCall,
  type EndReason,
  type NewCall,
  type RealtimeCalls,
  type RunningMoney,
} from '#voice/realtime'

export type CallWish = Partial<NewCall & Pick<AddedCall, 'timeCost' | 'models'>> & {
  payer: Payer
  /** That has it; default: the world's own. */
  calls?: RealtimeCalls
  /** Ends and settles when it is told to; default: true. */
  obeys?: boolean
}

export interface TestCall {
  money: RunningMoney
  callId: string
  receiptId: string
  /** Why it was told to end. */
  told: EndReason[]
  warnings: number
}

export const callOf = ({ payer, ...wish }: CallWish, processId: string): NewCall => ({
  callId: uuidv7(),
  receiptId: uuidv7(),
  payer,
  endpoint: '/v1/realtime/calls',
  processId,
  transport: 'webrtc',
  engine: 'pipeline',
  model: 'sandbox/realtime',
  maxSeconds: 1_800,
  held: 100n,
  callsOfKey: 1_000,
  accepted: { statusCode: 201 },
  ...wish,
})

/** A cost of so many micro-credits. */
export const costing = (microcredits: bigint): Cost =>
  costOfLines([{ unit: 'steps', quantity: 1, price: microcredits }])

/** Begins a call as a route does, and gives it to its process. */
export async function startCall(
  app: Pick<App, 'db' | 'clock' | 'realtime'>,
  wish: CallWish,
): Promise<TestCall> {
  const calls = wish.calls ?? app.realtime
  const call = callOf(wish, calls.processId)
  const now = new Date(app.clock.nowMs())
  await app.db.tx((tx) => beginCall(tx, call, now))
  return addCall(calls, call, wish, now.getTime())
}

export function addCall(
  calls: RealtimeCalls,
  call: NewCall,
  { obeys = true, timeCost, models = [call.model] }: Pick<CallWish, 'obeys' | 'timeCost' | 'models'>,
  createdMs: number,
): TestCall {
  const { payer, callId, receiptId, model, held } = call
  const started: TestCall = { callId, receiptId, told: [], warnings: 0, money: undefined! }
  started.money = calls.add(
    {
      ...{ payer, callId, receiptId, model, held, models, createdMs },
      ...{ engine: call.engine, transport: call.transport },
      accountId: payer.accountId,
      processId: calls.processId,
      ...(timeCost && { timeCost }),
    },
    {
      end: (reason) => {
        started.told.push(reason)
        if (obeys) started.money.end(reason).catch(() => {})
      },
      warn: () => void started.warnings++,
    },
  )
  return started
}
