/**
 * In a process that makes one file, time stands still and chance repeats itself: libraries stamp files with the clock and name their
 * parts by lot, and the same document shall give the same bytes.
 */
export function makeDeterministic(dateMs: number): void {
  process.env['TZ'] = 'UTC'
  const Clock = Date
  globalThis.Date = class extends Clock {
    constructor(...given: [] | [string | number | Date]) {
      super(...((given.length === 0 ? [dateMs] : given) as [number]))
    }
    static override now(): number {
      return dateMs
    }
  } as DateConstructor
  let state = 0x9e3779b9
  Math.random = () => {
    // xorshift32
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
