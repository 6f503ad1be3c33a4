/** Brings the user's speech to the upstream: it is sent as it comes, and committed turn by turn. */
import { type Cost, noCost } from '#core/models'
import { Failure } from '#platform/errors'
import type { CallView } from '../../parts.ts'
import type { CallerTurn } from '../../turns/turn-listener.ts'
import type { RelayedModel } from './of-model.ts'
import type { SessionLink } from './session-link.ts'
import { UserSound } from './user-sound.ts'

export interface UserSpeechOptions {
  call: Pick<CallView, 'money' | 'session'>
  link: SessionLink
  model: Pick<RelayedModel, 'id' | 'transcription'>
  /** Called when the transcription of a turn could not be paid. */
  onFailed: (failure: Failure) => void
}

/** The most seconds of a turn that are sent again after its beginning went to a former session. */
const againSeconds = 15

export class UserSpeech {
  readonly #options: UserSpeechOptions
  #sound: UserSound
  /** Whether the session was opened again within a turn. */
  #isAnew = false
  /** Resolves when the last turn has been committed to the upstream. */
  #committed: Promise<void> = Promise.resolve()

  constructor(options: UserSpeechOptions) {
    this.#options = options
    this.#sound = this.#openSound()
  }

  get committed(): Promise<void> {
    return this.#committed
  }

  /** Call when the first session is open: its deployment may differ from the first one, and so may its rate. */
  begin(): void {
    this.#sound = this.#openSound()
  }

  /** Call before another session is opened. */
  sessionLost(): void {
    this.#isAnew = this.#sound.isOpen
  }

  /** Takes 20 ms at 16 kHz. */
  write(samples: Float32Array): void {
    this.#sound.write(samples)
  }

  /** Begins a turn at this time of the call, or where the last turn ended. */
  open(fromMs?: number): void {
    this.#sound.open(fromMs)
  }

  /** Begins a turn where the client decides itself when it is over: then all sound belongs to one. */
  openIfManual(): void {
    if (!this.#options.call.session.turnDetection && !this.#sound.isOpen) this.#sound.open()
  }

  /** Ends the turn. */
  close(): void {
    this.#sound.close()
    this.openIfManual()
  }

  /** Commits a turn that has ended. */
  commit(itemId: string, turn: CallerTurn): Promise<void> {
    this.#committed = this.#commit(itemId, turn)
    return this.#committed
  }

  #openSound(): UserSound {
    const { link } = this.#options
    return new UserSound(link.inputRate, (pcm) => link.write(pcm))
  }

  async #commit(itemId: string, { samples }: CallerTurn): Promise<void> {
    const { link, model } = this.#options
    if (!link.isOpen) await link.ready().catch(() => undefined)
    if (this.#isAnew) this.#sound.resend(samples.subarray(-againSeconds * 16_000))
    this.#isAnew = false
    const seconds = this.#sound.takeSeconds()
    const cost = model.transcription?.cost(seconds) ?? noCost
    if (!link.isOpen) return
    if (cost.microcredits === 0n) link.commit(itemId)
    else await this.#commitPaid(itemId, { seconds, cost })
  }

  /** Commits sound that the upstream transcribes at a price of its own. */
  async #commitPaid(itemId: string, { seconds, cost }: { seconds: number; cost: Cost }): Promise<void> {
    const { call, link, model, onFailed } = this.#options
    this.#sound.hold()
    try {
      const step = await call.money.step({ kind: 'transcription', model: model.id, worst: cost.microcredits })
      const { isOpen } = link
      if (isOpen) link.commit(itemId)
      step.done(isOpen ? cost : noCost, { quantities: isOpen ? { seconds: Math.ceil(seconds) } : {} })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      onFailed(error)
    } finally {
      this.#sound.release()
    }
  }
}
