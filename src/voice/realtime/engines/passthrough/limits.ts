/** The settings that bound the cost of a passthrough call: a caller can change them at the upstream, and they are restored. */
import type { PassthroughSetup, SideSettings } from '#core/spec'

/** How long an upstream may take to restore them. */
const restoreMs = 5_000
/** The most restorations in a call: a caller who changes the settings more often does it on purpose. */
const maxRestores = 20

export interface LimitsListener {
  restore(): void
  /** Called when the call goes on without these limits. */
  broken(): void
}

export class Limits {
  readonly #setup: PassthroughSetup
  readonly #listener: LimitsListener
  /** The first model name that the upstream reported; it may differ from the name used here. */
  #model: string | undefined
  #restores = 0
  #wasLoosened = false
  /** The `performance.now()` of the restoration, until the upstream confirms it. */
  #restoringMs: number | undefined

  constructor(setup: PassthroughSetup, listener: LimitsListener) {
    this.#setup = setup
    this.#listener = listener
  }

  updated(settings: SideSettings): void {
    this.#model ??= settings.model
    const isLoose = this.#isLoose(settings)
    if (!isLoose && !this.#isTranscribedElse(settings)) {
      this.#restoringMs = undefined
      return
    }
    // Updates that were sent before the restoration arrived may still come.
    if (this.#restoringMs !== undefined) return
    this.#restoringMs = performance.now()
    this.#restores += 1
    if (isLoose) this.loosened()
    if (this.#restores > maxRestores) this.#listener.broken()
    else this.#listener.restore()
  }

  /** Call when the limits were exceeded; only the first time counts as a mistake. */
  loosened(): void {
    if (this.#wasLoosened) this.#listener.broken()
    this.#wasLoosened = true
  }

  /** Whether a response may be made with this many tokens. */
  allows(maxOutputTokens: number | 'inf' | undefined): boolean {
    return maxOutputTokens === undefined || isAtMost(maxOutputTokens, this.#setup.maxOutputTokens)
  }

  /** Sends a restoration that could not be sent before. */
  opened(): void {
    if (this.#restoringMs !== undefined) this.#listener.restore()
  }

  /** Checks that a restoration was confirmed in time; call it regularly. */
  check(): void {
    if (this.#restoringMs !== undefined && performance.now() - this.#restoringMs > restoreMs)
      this.#listener.broken()
  }

  #isLoose({ model, maxOutputTokens, maxInputTokens }: SideSettings): boolean {
    return (
      !this.allows(maxOutputTokens) ||
      (maxInputTokens !== undefined && !isAtMost(maxInputTokens, this.#setup.maxInputTokens)) ||
      (model !== undefined && model !== this.#model)
    )
  }

  /** Whether the caller's speech is transcribed by another model, or although no transcription is set: clients request that by themselves. */
  #isTranscribedElse({ transcriptionModel: reported }: SideSettings): boolean {
    const ours = this.#setup.transcription?.model
    // An upstream may name the release of a model after its name.
    return typeof reported === 'string' && reported !== ours && !reported.startsWith(`${ours}-`)
  }
}

const isAtMost = (reported: number | 'inf', max: number): boolean => reported !== 'inf' && reported <= max
