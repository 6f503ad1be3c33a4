/** Searches the knowledge of an agent for what the caller said last. The vectors of the search are a step of the call. */

import type { CallAgent } from '#core/call-agent'
import { type Cost, noCost } from '#core/models'
import type { PaidApp, RequestPart } from '#core/paid'
import { uuidv7 } from '#platform/ids'
import type { LiveCall } from '#voice/live-speech'
import type { CallView, ConversationItem, OpenStep } from '../../parts.ts'
import { textOfItem } from './prompt.ts'

export interface KnowledgeOptions {
  app: Pick<PaidApp, 'clock' | 'log'>
  call: Pick<CallView, 'callId' | 'money' | 'signal'>
  live: Omit<LiveCall, 'signal'>
  recall: NonNullable<CallAgent['recall']>
}

export class Knowledge {
  readonly #options: KnowledgeOptions
  /** The passages for the last question: further answers to the same question, as after a tool of the client, do not search again. */
  #last: { question: string; passages: Promise<string | undefined> } | undefined

  constructor(options: KnowledgeOptions) {
    this.#options = options
  }

  /** The passages, quoted for the model; undefined where there are none. Never rejects: an answer without them is better than none. */
  passagesFor(items: readonly ConversationItem[]): Promise<string | undefined> {
    const item = items.findLast(({ role }) => role === 'user')
    const question = item ? textOfItem(item).trim() : ''
    if (question === '') return Promise.resolve(undefined)
    if (this.#last?.question !== question) this.#last = { question, passages: this.#find(question) }
    return this.#last.passages
  }

  async #find(question: string): Promise<string | undefined> {
    const { app, call, live, recall } = this.#options
    const step = new LaterStep(this.#options)
    try {
      const passages = await recall(question, {
        ...live,
        requestId: step.part.id,
        receivedMs: app.clock.nowMs(),
        gone: call.signal,
        part: step.part,
      })
      step.done(undefined)
      return passages
    } catch (error) {
      step.done(noCost)
      if (!call.signal.aborted)
        app.log.error({ err: error, call_id: call.callId }, 'the knowledge of a call was not found')
      return undefined
    }
  }
}

/** A step that begins with the hold of its paid call, since only then is it known whether there is one. */
class LaterStep {
  readonly part: RequestPart
  #open: OpenStep | undefined

  constructor({ app, call }: Pick<KnowledgeOptions, 'app' | 'call'>) {
    const stepId = uuidv7(app.clock.nowMs())
    this.part = {
      id: stepId,
      hold: async (options) => {
        const model = options.model ?? ''
        const { microcredits: worst } = options
        this.#open = await call.money.step({ kind: 'embedding', model, worst, stepId })
        return this.#open.part.hold(options)
      },
      afterSettlement: (ended) => this.#open?.part.afterSettlement(ended),
    }
  }

  done(cost: Cost | undefined): void {
    this.#open?.done(cost, { quantities: {} })
  }
}
