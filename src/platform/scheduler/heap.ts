/** A heap of active flows. The flow that has used the least time comes first; among equals, the flow added last. */
import type { Flow } from './fair.ts'

export class FlowHeap {
  readonly #flows: Flow[] = []

  get size(): number {
    return this.#flows.length
  }

  push(flow: Flow): void {
    const flows = this.#flows
    let at = flows.length
    while (at > 0) {
      const above = (at - 1) >> 1
      if (flows[above]!.usedMs < flow.usedMs) break
      flows[at] = flows[above]!
      at = above
    }
    flows[at] = flow
  }

  shift(): Flow | undefined {
    const flows = this.#flows
    const first = flows[0]
    const last = flows.pop()
    if (last === undefined || flows.length === 0) return first
    let at = 0
    for (let below = 1; below < flows.length; below = 2 * at + 1) {
      if (below + 1 < flows.length && flows[below + 1]!.usedMs < flows[below]!.usedMs) below++
      if (flows[below]!.usedMs >= last.usedMs) break
      flows[at] = flows[below]!
      at = below
    }
    flows[at] = last
    return first
  }
}
