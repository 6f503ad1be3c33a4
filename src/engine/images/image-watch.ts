/** What metrics, trace and log are told of a paid order of pictures: names, figures and times, never a prompt or a picture. */
import type { App } from '#app'
import type { ImageModel } from '#engine/models'
import { type PaidCall, PaidWatch } from '#engine/paid'
import type { Attempt } from '#engine/routing'
import type { Settled } from '#platform/ledger'
import type { Span } from '#platform/trace'

export interface ImageEnd {
  model: ImageModel
  attempts: readonly Attempt[]
  tokens: { input: number; output: number }
  pictures: number
  /** Why there is no picture: a fault of the upstream or a code of ours. */
  trouble: string | undefined
}

export class ImageWatch {
  readonly #paid: PaidWatch
  #drawing: Span | undefined

  constructor(app: App, ask: PaidCall & { model: ImageModel }) {
    this.#paid = new PaidWatch(app, ask)
  }

  hold<Held>(take: () => Promise<Held>): Promise<Held> {
    return this.#paid.hold(take)
  }

  /** The upstream is asked from now on; answers the trace to hand on. */
  asks(): string | undefined {
    this.#drawing = this.#paid.open('generate_content', { 'gen_ai.output.type': 'image' })
    return this.#drawing?.traceparent
  }

  settle(end: ImageEnd, settle: () => Promise<Settled>): Promise<Settled> {
    this.#tellDrawing(end)
    return this.#paid.settle({ ...end, figures: { pictures: end.pictures } }, settle)
  }

  #tellDrawing({ attempts, tokens, trouble }: ImageEnd): void {
    const drawing = this.#drawing
    if (!drawing) return
    this.#paid.tellAttempts(drawing, attempts)
    drawing.set({
      'gen_ai.usage.input_tokens': tokens.input,
      'gen_ai.usage.output_tokens': tokens.output,
    })
    drawing.end({ error: trouble })
  }
}
