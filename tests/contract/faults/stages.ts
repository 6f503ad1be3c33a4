/** Where a fault is played: in the one answer of an upstream, or on the way of a video from its order to its bytes. */
import { until } from '../../harness/until.ts'
import type { UpstreamCall } from '../../harness/upstream.ts'
import type { Fault, Outcome } from './faults.ts'
import type { Kind } from './kinds.ts'
import type { FaultWorld, Newcomer } from './world.ts'

export interface Stage {
  /** What a fault comes to here; undefined where there is none of its kind. */
  outcomeOf(kind: Kind, fault: Fault): Outcome | undefined
  /** From this long on timeouts of its calls last until the test ends them. */
  heldFromMs: number
  /** The fault meets the order itself: one of which surely nothing came is sent again. */
  isOrder: boolean
  /** So often what is wrong is asked for; once, where absent. */
  lasts?: number
  /** What reached the upstream and may have ordered something. */
  orders(at: FaultWorld): readonly UpstreamCall[]
  /** The next request meets the fault, and every other one is answered well. */
  fail(at: FaultWorld, kind: Kind, fault: Fault): Played
  /** All goes well, as soon as it is released. */
  hold(at: FaultWorld, kind: Kind, own: Newcomer): Held
  until(at: FaultWorld, condition: () => Promise<unknown>): Promise<unknown>
}

export interface Played {
  /** Resolves when the fault has begun. */
  arrived: Promise<unknown>
  /** How often what is wrong was asked for. */
  asked(): number
}

export interface Held {
  /** Resolves when the order is under way. */
  arrived: Promise<unknown>
  release(): void
}

/** An order that is made while its caller waits for the answer. */
export const atOnce: Stage = {
  outcomeOf: ({ wire, isNoneOnError }, { outcome, isOfMedium, isError }) => {
    if (isOfMedium && wire.takesAnyBytes) return undefined
    return isNoneOnError && isError ? 'made' : outcome
  },
  heldFromMs: 700_000,
  isOrder: true,
  orders: ({ upstream }) => upstream.calls,
  fail({ upstream }, { wire }, fault) {
    const arrived = Promise.withResolvers<void>()
    let isPlayed = false
    upstream.reply((call) => {
      if (isPlayed) return wire.good(call)
      isPlayed = true
      arrived.resolve()
      return fault.script(wire)
    })
    return { arrived: arrived.promise, asked: () => Number(isPlayed) }
  },
  hold({ upstream }, { wire }) {
    const released = Promise.withResolvers<void>()
    upstream.reply(async (call) => {
      await released.promise
      return wire.good(call)
    })
    return { arrived: upstream.call(upstream.calls.length), release: released.resolve }
  },
  until: (_, condition) => until(condition),
}
