/** Describes a running call, its holder and its process to the money of the call. */
import type { Cost } from '#core/models'
import type { Payer } from '#platform/ledger'
import type { EndReason } from '../parts.ts'
import type { CallKey, CallRow, EngineName } from '../store.ts'

/** The holder of the call. `end` and `warn` may be called more than once. */
export interface MoneyListener {
  /** The call is to end; `RunningMoney.end` follows once no call to an upstream is open. */
  end(reason: EndReason): void
  /** The call's time costs credits, and the balance covers no more of it than is held: about half a minute. */
  warn(): void
  /** The process is being stopped: the call is ended after this many seconds. */
  stopping?(seconds: number): void
}

/** What a process gives the money of each of its calls. */
export interface MoneyContext {
  listener: MoneyListener
  /** Aborts when this process has no more time to settle. */
  closing: AbortSignal
  /** Called once when settlement begins. */
  settling(ending: Promise<CallRow>): void
}

export interface RunningCall extends CallKey {
  payer: Payer
  receiptId: string
  processId: string
  model: string
  engine: EngineName
  createdMs: number
  /** The present amount of the hold, in micro-credits. */
  held: bigint
  /** The cost of this many seconds of connection. Absent: the time costs nothing. */
  timeCost?: ((seconds: number) => Cost) | undefined
}
