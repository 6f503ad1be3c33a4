/**
 * Files that paid calls make. Room is reserved before the order leaves; the bytes are stored as soon as they arrive; rows, the end of the reservation
 * and the charge are one transaction (docs/decisions/core/stored-results.md). If the store fails, the bytes wait in the data folder of
 * this machine until the store is back.
 */
import { sha256InSlices } from '#platform/bytes'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import { announceNewBlob, type ByteSource, commitBlob, writeBlob } from '#platform/storage'
import type { FilesApp } from './app.ts'
import * as creationStore from './creation-store.ts'
import { failQuota, keyOf } from './stage.ts'
import type { FileOwner, FileRow } from './store.ts'
import './errors.ts'

/** A call that makes files, and how they are kept. */
export interface CreationCall extends FileOwner {
  /** The receipt of the call. */
  receiptId: string
  /** Set where one request has several reservations; by default the receipt's id. A UUIDv7. */
  reservationId?: string
  keyId: string
  /** The name of the call's files in lists, such as `image`. */
  source: string
  /** Days for which the files are kept; 0 means one day, only for a repeat of the request, and in no list. */
  keepDays: number
}

export interface Creation {
  bytes: Uint8Array | ByteSource
  mediaType: string
}

/** A creation whose bytes are stored and whose row does not exist yet. */
export interface StagedCreation {
  row: FileRow
}

/** Maximum number of creations of one project. */
export const maxCreations = 1_000_000
const dayMs = 24 * 60 * 60 * 1_000
/** How long a paid result waits for a database that is away: about as long as its hold lasts; after that there is no hold to settle. */
const databaseRetryMs = 10 * 60 * 1_000
/** A store that takes a paid result more slowly than this has failed. */
const slowestBytesPerMs = 1_000

const reservationOf = ({ receiptId, reservationId = receiptId }: CreationCall): string => reservationId

/** Room for what a call will make, until it is committed or released. */
export class CreationReservation {
  readonly #app: FilesApp
  readonly #call: CreationCall
  #isTaken = true

  private constructor(app: FilesApp, call: CreationCall) {
    this.#app = app
    this.#call = call
  }

  /**
   * Reserves room for a number of files with a total of bytes, before anything is held or ordered. Throws FILES_QUOTA_EXCEEDED where the project has
   * no room, and STORAGE_FULL where the disk has too little.
   */
  static async reserve(
    app: FilesApp,
    call: CreationCall,
    wanted: { creations: number; bytes: number },
  ): Promise<CreationReservation> {
    app.storage.requireRoom()
    const { quotaBytes } = app.config.studio
    const asked = { ...call, ...wanted, receiptId: reservationOf(call), processId: app.processes.id }
    const isReserved = await creationStore.reserve(app.db, asked, { maxCreations, maxBytes: quotaBytes })
    if (!isReserved) failQuota(quotaBytes, maxCreations)
    return new CreationReservation(app, call)
  }

  /**
   * Reserves room for work that outlives its process, as part of a transaction: the room lasts as long as the hold of its receipt, which `hold`
   * takes. Throws FILES_QUOTA_EXCEEDED, STORAGE_FULL, and what `hold` throws.
   */
  static async reserveIn(
    tx: Tx,
    app: FilesApp,
    call: CreationCall,
    wanted: { creations: number; bytes: number },
    hold: () => Promise<void>,
  ): Promise<void> {
    app.storage.requireRoom()
    const { quotaBytes } = app.config.studio
    // Commits of creations lock in this order too.
    await creationStore.lockUsage(tx, call)
    await hold()
    const isReserved = await creationStore.reserveIn(
      tx,
      { ...call, ...wanted },
      { maxCreations, maxBytes: quotaBytes },
    )
    if (!isReserved) failQuota(quotaBytes, maxCreations)
  }

  /** The room that `reserveIn` has reserved; it is given back by `commit` and `releaseIn` alone. */
  static of(app: FilesApp, call: CreationCall): CreationReservation {
    return new CreationReservation(app, call)
  }

  /** Gives back what `reserveIn` has reserved, when the transaction commits. */
  static releaseIn(
    tx: Tx,
    { accountId, receiptId }: Pick<CreationCall, 'accountId' | 'receiptId'>,
  ): Promise<void> {
    return creationStore.releaseIn(tx, accountId, receiptId)
  }

  /** Stores the bytes, in the store or in the data folder. Throws RESULT_NOT_STORED where neither accepts them. */
  async stage({ bytes, mediaType }: Creation): Promise<StagedCreation> {
    const { accountId, projectId, keyId, receiptId, source, keepDays } = this.#call
    const nowMs = this.#app.clock.nowMs()
    const isBuffered = bytes instanceof Uint8Array
    const row: FileRow = {
      account_id: accountId,
      file_id: uuidv7(nowMs),
      project_id: projectId,
      key_id: keyId,
      name: null,
      media_type: mediaType,
      bytes: BigInt(isBuffered ? bytes.length : bytes.bytes),
      sha256: isBuffered ? await sha256InSlices(bytes) : bytes.sha256,
      source,
      receipt_id: receiptId,
      expires_at: new Date(nowMs + Math.max(keepDays, 1) * dayMs),
      listed: keepDays > 0,
      purpose: null,
      spooled_on: null,
      created_at: new Date(nowMs),
    }
    await this.#store(row, bytes)
    return { row }
  }

  /** Writes the bytes, and sets their place in the row: the id of their key, and the data folder where they wait, unless they are in the store. */
  async #store(row: FileRow, bytes: Uint8Array | ByteSource): Promise<void> {
    const { waiting, config } = this.#app
    // Where the bytes have no other place, the store gets as much time as it needs.
    const storeMs = waiting && config.timing.storeMs + Math.ceil(Number(row.bytes) / slowestBytesPerMs)
    try {
      const key = await this.#announce(row)
      const signal = storeMs === undefined ? undefined : AbortSignal.timeout(storeMs)
      await writeBlob(this.#app, key, bytes, { sha256: row.sha256, ...(signal && { signal }) })
      return
    } catch (error) {
      this.#report(error, 'the store failed for a paid result')
      if (!waiting) return fail('RESULT_NOT_STORED', {}, { executed: true, cause: error })
    }
    const key = keyOf(row.account_id, row.file_id)
    try {
      await writeBlob(waiting, key, bytes)
      row.spooled_on = waiting.place
    } catch (error) {
      this.#report(error, 'the data folder failed for a paid result')
      return fail('RESULT_NOT_STORED', {}, { executed: true, cause: error })
    }
  }

  /** Each attempt has an id of its own (see `announceNew`). */
  async #announce(row: FileRow): Promise<string> {
    const { clock } = this.#app
    const newKey = (): string => {
      row.file_id = uuidv7(clock.nowMs())
      return keyOf(row.account_id, row.file_id)
    }
    try {
      return await announceNewBlob(this.#app, newKey, clock.nowMs() + databaseRetryMs)
    } catch (error) {
      newKey()
      this.#report(error, 'the database failed for a paid result')
      throw error
    }
  }

  #report(error: unknown, what: string): void {
    this.#app.log.error({ err: error, receipt: this.#call.receiptId }, what)
  }

  /** Writes the rows in place of the reservation, in the transaction that charges the call. */
  async commit(tx: Tx, staged: readonly StagedCreation[]): Promise<void> {
    const { accountId } = this.#call
    const rows = staged.map(({ row }) => row)
    for (const row of rows) if (row.spooled_on === null) await commitBlob(tx, keyOf(accountId, row.file_id))
    await tx.insertInto('files.files').values(rows).execute()
    await creationStore.exchangeReservation(tx, reservationOf(this.#call), rows)
  }

  /** Call when the transaction of `commit` is through: the rows have taken the place of the reservation, so nothing is left to release. */
  markCommitted(): void {
    this.#isTaken = false
  }

  /** Gives the room back, if nothing was committed. After a failure of the database the sweep gives it back, when this process has ended. */
  async release(): Promise<void> {
    if (!this.#isTaken) return
    this.#isTaken = false
    await creationStore
      .release(this.#app.db, this.#call.accountId, reservationOf(this.#call))
      .catch((error: unknown) => this.#app.log.warn({ err: error }, 'reserved room is released later'))
  }
}
