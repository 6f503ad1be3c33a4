/**
 * A paid request whose result is stored before it is charged (docs/decisions/core/stored-results.md): room for it is reserved before
 * the hold; its files, the end of the reservation and the charge are one transaction; without a stored result nothing is charged, and what
 * an upstream may bill all the same is the platform's loss.
 */
import { type Creation, type CreationCall, CreationReservation, type StagedCreation } from '#core/files'
import { noCost } from '#core/models'
import { Failure } from '#platform/errors'
import type { PaidApp } from './app.ts'
import type { PaidEnd, PaidRequest, PaidRequestResult } from './paid-request.ts'

/** The most that is made, and what its files are called. */
export interface StoredResultOptions {
  creations: number
  /** The bytes of all creations together. */
  bytes: number
  source: string
  /** Overrides the days of key, project and configuration; 0: for a repeat of the request only. */
  keepDays?: number
}

interface StoredResultCall {
  caller: { accountId: string; projectId: string; keyId: string; keepDays?: number | undefined }
  requestId: string
  part?: { id: string } | undefined
}

/** The most creations stored at once, since S3 stores may copy what they are given. */
const stagedAtOnce = 2

export class StoredResult {
  readonly #app: Pick<PaidApp, 'log'>
  readonly #room: CreationReservation
  readonly #staged: StagedCreation[] = []

  private constructor(app: Pick<PaidApp, 'log'>, room: CreationReservation) {
    this.#app = app
    this.#room = room
  }

  /** Reserves room, then calls `hold`; if `hold` throws, the room is given back. Throws FILES_QUOTA_EXCEEDED. */
  static async reserve<Held>(
    app: PaidApp,
    { caller, requestId, part }: StoredResultCall,
    { source, keepDays, ...wanted }: StoredResultOptions,
    hold: () => Promise<Held>,
  ): Promise<{ result: StoredResult; held: Held }> {
    const { accountId, projectId, keyId } = caller
    const call: CreationCall = {
      ...{ accountId, projectId, keyId, source },
      receiptId: requestId,
      reservationId: part?.id ?? requestId,
      keepDays: keepDays ?? caller.keepDays ?? app.config.studio.keepDays,
    }
    const room = await CreationReservation.reserve(app.files, call, wanted)
    try {
      return { result: new StoredResult(app, room), held: await hold() }
    } catch (error) {
      await room.release()
      throw error
    }
  }

  /** Gives the room back where nothing was ordered for it. */
  release(): Promise<void> {
    return this.#room.release()
  }

  /** The ids of the stored files, in the order in which they were made. */
  get fileIds(): string[] {
    return this.#staged.map(({ row }) => row.file_id)
  }

  /** Stores a creation. Throws RESULT_NOT_STORED. */
  async stage(creation: Creation): Promise<void> {
    this.#staged.push(await this.#room.stage(creation))
  }

  /** Stores several creations, and returns those that were stored, in their order; the others are lost. Throws RESULT_NOT_STORED where none was. */
  async stageEach<One extends Creation>(creations: readonly One[]): Promise<One[]> {
    const outcomes: PromiseSettledResult<StagedCreation>[] = []
    const rest = creations.entries()
    const stageRest = async (): Promise<void> => {
      for (const [index, one] of rest)
        [outcomes[index]] = (await Promise.allSettled([this.#room.stage(one)])) as [(typeof outcomes)[0]]
    }
    await Promise.all(Array.from({ length: stagedAtOnce }, stageRest))
    const staged = outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    const failed = outcomes.find((one) => one.status === 'rejected')
    if (failed && staged.length === 0) throw failed.reason
    this.#staged.push(...staged)
    return creations.filter((_, index) => outcomes[index]!.status === 'fulfilled')
  }

  /**
   * Settles `request`: `end.cost` is what its stored results cost, and is charged; `billed` is what upstreams may bill for all that was ordered. The difference is the platform's loss, in the same transaction; where nothing is stored, or the request failed, all of `billed` is.
   * Throws RESULT_NOT_STORED, after the request was settled as lost.
   */
  async settle(request: PaidRequest, end: PaidEnd, billed: bigint): Promise<PaidRequestResult> {
    const lost = { cost: noCost, statedMicrocredits: undefined, lostMicrocredits: billed }
    if (this.#staged.length === 0 || end.failure || end.fault) {
      await this.#room.release()
      return request.settle({ ...end, ...lost })
    }
    const head = { ...end.detail.head, files: this.fileIds }
    const stored = {
      ...{ ...end, detail: { ...end.detail, head } },
      lostMicrocredits: billed - (end.statedMicrocredits ?? end.cost.microcredits),
    }
    try {
      const finished = await request.settleWith(stored, (tx) => this.#room.commit(tx, this.#staged))
      await request.afterSettlement((isWritten) => this.#end(isWritten))
      return finished
    } catch (error) {
      this.#app.log.error({ err: error }, 'a paid result could not be committed')
      await this.#room.release()
      const failure = notStored(error)
      await request.settle({
        ...{ ...end, ...lost, failure },
        statusCode: failure.status,
        reply: undefined,
        freeClaim: false,
      })
      throw failure
    }
  }

  async #end(isWritten: boolean): Promise<void> {
    if (isWritten) this.#room.markCommitted()
    else await this.#room.release()
  }
}

const notStored = (cause: unknown): Failure => new Failure('RESULT_NOT_STORED', {}, { executed: true, cause })
