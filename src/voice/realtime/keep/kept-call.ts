/** Keeps the words of a call as they are said, and its sound as a file of its project, where the call wants that. The call never waits for either. */
import { CreationReservation, dropBytes } from '#core/files'
import { formatMediaType, StereoOpus } from '#core/sound'
import type { Tx } from '#platform/db'
import { Failure } from '#platform/errors'
import { sourceOf } from '#platform/storage'
import type { KeptCallApp } from '../app.ts'
import { soundClock } from '../clock.ts'
import type { Conversation, RealtimeEvent } from '../parts.ts'
import type { CallKey } from '../store.ts'
import { CallWords } from './call-words.ts'
import { CallRecorder } from './recorder.ts'
import { writeSoundLost, writeSoundStored, writeSpoken } from './transcript-store.ts'

export interface KeptCallOptions extends CallKey {
  projectId: string
  keyId: string
  receiptId: string
  /** The days for which its sound is kept. */
  keepDays: number
  maxSeconds: number
}

/** Bytes reserved for a second: twice what two voices take. */
const bytesPerSecond = 6_000
/** Bytes reserved for the head, and for pages that are not full. */
const headBytes = 128 * 1024

/** The kept words and sound of a call, from the first event that the client receives. */
export class KeptCall {
  readonly #app: KeptCallApp
  readonly #options: KeptCallOptions
  readonly #words: CallWords
  #beganMs: number | undefined
  #recorder: CallRecorder | undefined
  #room: CreationReservation | undefined
  /** Resolves when the row records that there will be no sound. */
  #lost: Promise<unknown> | undefined

  constructor(app: KeptCallApp, options: KeptCallOptions) {
    this.#app = app
    this.#options = options
    this.#words = new CallWords({
      nowMs: () => Math.max(0, app.clock.nowMs() - this.#beganMs!),
      write: async (spoken) => {
        const isKept = await writeSpoken(app.db, options, spoken)
        // The words were deleted meanwhile, so the sound is not kept either.
        if (!isKept) void this.#recorder?.end()
        return isKept
      },
      log: app.log,
      callId: options.callId,
    })
  }

  event(event: RealtimeEvent, conversation: Conversation): void {
    if (this.#beganMs === undefined) {
      this.#beganMs = this.#app.clock.nowMs()
      this.#recorder = this.#record()
    }
    this.#words.event(event, conversation)
  }

  removed(itemId: string): void {
    this.#words.removed(itemId)
  }

  /** Takes 20 ms of the caller's sound, at 16 kHz. */
  recordCaller(frame: Float32Array): void {
    this.#recorder?.recordCaller(frame)
  }

  /** Takes 20 ms of the assistant's sound, at 24 kHz. */
  recordAssistant(frame: Float32Array): void {
    this.#recorder?.recordAssistant(frame)
  }

  /**
   * Call before the call is settled, when nobody speaks any more. The words that the database accepts are written when it resolves. Never rejects.
   */
  async beforeSettlement(): Promise<void> {
    void this.#recorder?.end()
    await this.#words.write()
  }

  /** Call after the call was settled: writes the rest of its words, and its file. Never rejects. */
  async afterSettlement(): Promise<void> {
    await this.#words.write()
    this.#words.stop()
    try {
      await this.#store()
    } catch (error) {
      this.#lose(error)
    }
    await this.#room?.release()
    await this.#lost
  }

  #record(): CallRecorder {
    const { app, maxBytes } = { app: this.#app, maxBytes: this.#maxBytes }
    return new CallRecorder({
      clock: soundClock,
      maxBytes,
      open: async () => {
        this.#room = await this.#reserve()
        return StereoOpus.open()
      },
      write: (pages) => app.spool.write(pages, { maxBytes }),
      failed: (error) => this.#lose(error),
    })
  }

  get #maxBytes(): number {
    return this.#options.maxSeconds * bytesPerSecond + headBytes
  }

  #reserve(): Promise<CreationReservation> {
    const call = { ...this.#options, source: 'call' }
    return CreationReservation.reserve(this.#app.files, call, { creations: 1, bytes: this.#maxBytes })
  }

  async #store(): Promise<void> {
    const room = this.#room
    const file = await this.#recorder?.end()
    if (!file || !room) return this.#lose(undefined)
    await using spooled = file
    const staged = await room.stage({ bytes: sourceOf(spooled), mediaType: formatMediaType('opus') })
    const fileId = staged.row.file_id
    const commit = async (tx: Tx): Promise<boolean> => {
      const isWanted = await writeSoundStored(tx, this.#options, fileId)
      if (isWanted) await room.commit(tx, [staged])
      return isWanted
    }
    if (await this.#app.db.tx(commit)) room.markCommitted()
    else await dropBytes(this.#app.files, this.#options.accountId, fileId)
  }

  /** Records once that the sound is lost. A project whose room is full is no fault. */
  #lose(error: unknown): void {
    if (this.#lost) return
    const { log, db } = this.#app
    const { callId } = this.#options
    if (error !== undefined && !(error instanceof Failure && error.code === 'FILES_QUOTA_EXCEEDED'))
      log.warn({ err: error, call_id: callId }, 'the sound of a call is not kept')
    this.#lost = writeSoundLost(db, this.#options).catch((failure: unknown) =>
      log.warn({ err: failure, call_id: callId }, 'that the sound of a call was lost is written later'),
    )
  }
}
