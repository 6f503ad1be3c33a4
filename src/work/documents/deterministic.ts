/**
 * Fixes the clock and the random numbers in a process that makes one file. Libraries write the current time and random names into
 * files, and the same document must give the same bytes.
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
