import type { FoundRequest } from '../settlements.ts'
import type { RequestSegment } from './store.ts'

/** The first requests of the list among those that were found so far, each once. */
export class FoundRequests {
  readonly limit: number
  #rows: FoundRequest[] = []

  constructor(limit: number) {
    this.limit = limit
  }

  get rows(): FoundRequest[] {
    return this.#rows
  }

  add(rows: readonly FoundRequest[]): void {
    // A call that was corrected stands in two segments, so that one read may find it twice. What was added first stays.
    const all = [...new Map([...rows, ...this.#rows].map((row) => [row.receipt_id, row])).values()]
    this.#rows = all.sort(newestFirst).slice(0, this.limit)
  }

  /** Whether no request of this segment, nor of one that follows it, can stand among these. */
  isFullBefore(segment: RequestSegment | undefined): boolean {
    if (this.#rows.length < this.limit) return false
    return segment === undefined || microsecondsOf(this.#rows.at(-1)!.began) > segment.beganLast
  }
}

/** The order of the list. Times of one length and ids of one form are ordered as texts. */
export function newestFirst(one: FoundRequest, other: FoundRequest): number {
  if (one.began !== other.began) return one.began < other.began ? 1 : -1
  return one.receipt_id < other.receipt_id ? 1 : -1
}

/** Microseconds since 1970 of an RFC 3339 time in UTC with six decimals. */
const microsecondsOf = (began: string): number =>
  Date.parse(`${began.slice(0, 19)}Z`) * 1000 + Number(began.slice(20, 26))
