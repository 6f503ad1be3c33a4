/** What decides the cost of a call that runs past us: a caller can change it at the upstream, and it is put back. */
import type { PassthroughSetup, SideSettings } from '#core/spec'

/** How long an upstream has for putting them back. */
const restoreMs = 5_000
/** Of everything together: whoever changes it more often does nothing else. */
const maxRestores = 20

export interface LimitsListener {
  restore(): void
  /** It goes on without our limits. */
  broken(): void
}

export class Limits {
  readonly #setup: PassthroughSetup
  readonly #listener: LimitsListener
  /** The first model that the upstream named: it has names of its own for ours. */
  #model: string | undefined
  #restores = 0
  #wasLoosened = false
  /** `performance.now()`, while the upstream has not said that they hold again. */
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
    // What was sent before ours arrived is told first.
    if (this.#restoringMs !== undefined) return
    this.#restoringMs = performance.now()
    this.#restores += 1
    if (isLoose) this.loosened()
    if (this.#restores > maxRestores) this.#listener.broken()
    else this.#listener.restore()
  }

  /** The second time it is no mistake. */
  loosened(): void {
    if (this.#wasLoosened) this.#listener.broken()
    this.#wasLoosened = true
  }

  /** Whether a response may be made with so many tokens. */
  allows(maxOutputTokens: number | 'inf' | undefined): boolean {
    return maxOutputTokens === undefined || isAtMost(maxOutputTokens, this.#setup.maxOutputTokens)
  }

  /** Sends what could not be sent before. */
  opened(): void {
    if (this.#restoringMs !== undefined) this.#listener.restore()
  }

  /** Now and then. */
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

  /** By another model than ours, or where nobody is to write it down: clients ask for that without being told to. */
  #isTranscribedElse({ transcriptionModel: told }: SideSettings): boolean {
    const ours = this.#setup.transcription?.model
    // An upstream may name the release of a model behind its name.
    return typeof told === 'string' && told !== ours && !told.startsWith(`${ours}-`)
  }
}

const isAtMost = (told: number | 'inf', most: number): boolean => told !== 'inf' && told <= most
