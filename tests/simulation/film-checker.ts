/** What must be true of videos in a simulated world: ordered at most once, and either stored and charged once, or free with its cost in the books. */
import type { Catalogue } from '#core/models'
import type { Config } from '#platform/config'
import type { SimulatedDatabase } from './database.ts'
import type { Film, FilmCall, FilmVendor } from './film-vendor.ts'
import { filmCost } from './films.ts'
import { filmPath, type SimulatedProcess } from './process.ts'
import type { VideoRow } from './videos-database.ts'

export interface FilmCheckerOptions {
  database: SimulatedDatabase
  vendor: FilmVendor
  config: Config
  models: Catalogue
  processes: readonly SimulatedProcess[]
}

/** Three quarters of an hour from its acceptance, by clocks that are two seconds apart at most, and what it takes to see that they are over. */
const maxMs = 45 * 60_000 + 150_000

export class FilmChecker {
  readonly #ask: FilmCheckerOptions
  readonly #ended = new Set<string>()
  readonly #hold: (truth: boolean, what: string) => void

  constructor(options: FilmCheckerOptions, hold: (truth: boolean, what: string) => void) {
    this.#ask = options
    this.#hold = hold
    options.vendor.onCall = (call) => this.#onCall(call)
  }

  /** True while a video has not ended. */
  get waits(): boolean {
    return [...this.#ask.database.videos.rows.values()].some(({ ended_at: endedAt }) => endedAt === null)
  }

  /** Nothing unpaid, nothing of which no row says that it was ordered, and nothing twice. */
  #onCall({ requestId }: FilmCall): void {
    const { model } = this.#ask.database
    const row = this.#rowOf(requestId)
    this.#hold(model.papers.get(requestId)?.state === 'running', `${requestId} is ordered without a hold`)
    this.#hold(row?.deployment != null, `${requestId} is ordered before its row says so`)
    const earlier = this.#callsOf(requestId).slice(0, -1)
    this.#hold(
      earlier.every(({ refused }) => refused),
      `the video of ${requestId} is ordered again after it may have been ordered`,
    )
  }

  #rowOf(requestId: string): VideoRow | undefined {
    return [...this.#ask.database.videos.rows.values()].find((row) => row.receipt_id === requestId)
  }

  #callsOf(requestId: string): FilmCall[] {
    return this.#ask.vendor.calls.filter((call) => call.requestId === requestId)
  }

  /** After each step: what has ended has given its room back with it. */
  afterStep(): void {
    const { videos, reservations } = this.#ask.database
    for (const { receipt_id: id, ended_at: endedAt } of videos.rows.values()) {
      if (endedAt === null || this.#ended.has(id)) continue
      this.#ended.add(id)
      this.#hold(!reservations.has(id), `the video of ${id} has ended and still reserves room`)
    }
  }

  /** When everything has ended. */
  atTheEnd(): void {
    const { database } = this.#ask
    for (const [id, { endpoint }] of database.letters)
      this.#hold(endpoint !== filmPath || this.#rowOf(id) !== undefined, `${id} holds credits for no video`)
    for (const row of database.videos.rows.values()) this.#video(row)
  }

  #video(row: VideoRow): void {
    const { database, vendor } = this.#ask
    const { receipt_id: id, status, file_id: fileId, charged, error_code: code } = row
    const paper = database.model.papers.get(id)
    this.#hold(paper !== undefined, `the video of ${id} was accepted without a hold`)
    if (!paper) return
    this.#hold(paper.state === status, `the video of ${id} is ${status}, its receipt ${paper.state}`)
    const took = (row.ended_at?.getTime() ?? Number.POSITIVE_INFINITY) - row.created_at.getTime()
    this.#hold(took <= maxMs, `the video of ${id} ended after ${took} ms`)
    this.#hold(paper.claiming || !paper.idempotencyKey, `${id} has freed its key`)
    const films = [...vendor.films.values()].filter(({ requestId }) => requestId === id)
    this.#hold(films.length <= 1, `the video of ${id} was ordered ${films.length} times`)
    const files = [...database.files.values()].filter(({ receiptId }) => receiptId === id)
    const isStored = status === 'completed'
    this.#hold(
      isStored ? files.length === 1 && files[0]!.id === fileId : files.length === 0 && fileId === null,
      `the video of ${id} is ${status} (${code}) and has ${files.length} files`,
    )
    const due = isStored ? filmCost(this.#ask) : 0n
    this.#hold(
      paper.charged === due && charged === due,
      `the video of ${id} is charged ${paper.charged} (its row says ${charged}) in place of ${due}`,
    )
    this.#hold(
      database.endings.filter(({ receiptId }) => receiptId === id).length === 1,
      `the video of ${id} was settled more than once`,
    )
    this.#lost(row, paper.lost, films[0])
    const told = database.videos.events.get(`video ${row.job_id}`)?.types.join(', ')
    this.#hold(told === `video.${status}`, `of the video of ${id}, ${status}, is told: ${told}`)
  }

  /** What a vendor made and nobody has is the platform's loss; so is what it may have made, as far as anybody can know. */
  #lost({ receipt_id: id, status, error_code: code }: VideoRow, lost: bigint, film: Film | undefined): void {
    const price = filmCost(this.#ask)
    const said = `the video of ${id}, ${status} (${code}), loses ${lost}`
    if (status === 'completed') this.#hold(lost === 0n && film?.fate === 'made', said)
    else if (film && film.fate !== 'failed') this.#hold(lost === price, `${said} and was ordered`)
    // A vendor that has failed is not paid, if it got to say so; an order whose end nobody knows may have to be.
    else if (lost !== 0n) this.#hold(lost === price && this.#isUnclear(id), `${said} for nothing`)
  }

  /** An answer was lost, or a process may have died between the row that says that it orders and the answer. */
  #isUnclear(id: string): boolean {
    const { processes } = this.#ask
    return this.#callsOf(id).some(({ refused }) => !refused) || processes.some(({ end }) => end === 'crashed')
  }
}
