/** Days of a time zone and the instants at which they begin. */
const dayMs = 86_400_000
/** Every change of every zone since 2012, and every offset, lies on one. */
const quarterMs = 900_000

/** Whether the text is a name of the IANA database. An offset such as `+03:30` is none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

export class TimeZone {
  /** The name as it was given. */
  readonly name: string
  readonly #format: Intl.DateTimeFormat
  /** Offsets from UTC in milliseconds, by the instants at which they were looked up. */
  readonly #offsets = new Map<number, number>()

  /** Throws RangeError for a name for which `isTimeZone` is false. */
  constructor(name: string) {
    this.name = name
    this.#format = new Intl.DateTimeFormat('sv-SE', {
      timeZone: name,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
  }

  /** Whether both names mean the same zone, as `Iran` and `Asia/Tehran` do. */
  isSameAs(name: string): boolean {
    const canonical = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
    return this.#format.resolvedOptions().timeZone === canonical
  }

  /** The day there at an instant. */
  dayOf(ms: number): string {
    return this.#format.format(ms).slice(0, 10)
  }

  /** Day and time there at an instant, as `2026-11-30 14:05:09`. */
  momentOf(ms: number): string {
    return this.#format.format(ms)
  }

  /**
   * The first instant of a day: midnight, or where clocks were put forward over midnight the end of that gap. A day that the zone left out begins when
   * the next one does.
   */
  startOf(day: string): number {
    const midnight = Date.parse(day)
    const offset = this.#offsetAt(midnight - dayMs)
    if (offset === this.#offsetAt(midnight + dayMs)) return midnight - offset
    let before = midnight - dayMs
    let from = midnight + dayMs
    while (from - before > quarterMs) {
      const between = before + Math.floor((from - before) / 2 / quarterMs) * quarterMs
      if (between + this.#offsetAt(between) >= midnight) from = between
      else before = between
    }
    return from
  }

  #offsetAt(ms: number): number {
    const known = this.#offsets.get(ms)
    if (known !== undefined) return known
    const offset = Date.parse(`${this.#format.format(ms).replace(' ', 'T')}Z`) - ms
    this.#offsets.set(ms, offset)
    return offset
  }
}
