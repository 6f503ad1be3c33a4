import { vi } from 'vitest'
import { type Deadline, deadlines } from '#platform/clock'

export interface HeldTimeouts extends Disposable {
  /** Those that have begun and neither ended nor were cancelled. */
  readonly open: number
  /** Their time is over. */
  end(): void
}

/**
 * From here on timeouts of `fromMs` and more last until the test ends them, in place of some seconds: by then a busy machine may not have sent the
 * request that is to be answered by silence, and an idle one waits for nothing.
 */
export function holdTimeouts(fromMs: number): HeldTimeouts {
  const begin = deadlines.in.bind(deadlines)
  const open = new Map<Deadline, () => void>()
  const spy = vi.spyOn(deadlines, 'in').mockImplementation((ms, ring) => {
    if (ms < fromMs) return begin(ms, ring)
    const held: Deadline = { restart: () => open.set(held, ring), cancel: () => open.delete(held) }
    open.set(held, ring)
    return held
  })
  return {
    get open() {
      return open.size
    },
    end: () => {
      for (const [held, ring] of open) {
        open.delete(held)
        ring()
      }
    },
    [Symbol.dispose]: () => spy.mockRestore(),
  }
}
