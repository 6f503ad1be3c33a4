/** The cost of a passthrough call: each response and each transcription has a step that was open before it began. */
import { limitCost, noCost } from '#core/models'
import { alarmClaims } from '#core/paid'
import type { PassthroughSetup, RealtimeEnd, RealtimeUsage, SideSettings } from '#core/spec'
import { Failure } from '#platform/errors'
import type { PassthroughApp } from '../../app.ts'
import { CallOver } from '../../money/over.ts'
import type { RunningMoney } from '../../money/running-money.ts'
import type { CallStep } from '../../money/step.ts'
import type { EngineWork } from '../engine-work.ts'
import type { RelayedModel } from '../relay/of-model.ts'
import {
  claimOf,
  costOf,
  isCounted,
  quantitiesOf,
  type TokenCounts,
  worstCaseOfResponse,
} from '../relay/price.ts'
import { maxTurnSeconds } from '../relay/worst.ts'
import { StepsAhead } from './steps-ahead.ts'

export interface PassedMoneyOptions {
  money: RunningMoney
  model: RelayedModel
  setup: PassthroughSetup
  /** The deployment, for the operator. */
  deployment: string
  work: EngineWork
  /** Called when all paid responses are finished, and the balance covers no further one. */
  short(): void
  /** Called when the upstream makes a response that the balance did not cover. */
  unpaid(): void
}

/** The most responses at once: a caller may request several beside the conversation. */
const maxResponses = 32
/** The most tokens of one response, each way: no model takes more, and no larger claim is believed. */
const maxTokens: TokenCounts = { input: 1_000_000, output: 1_000_000 }
const nothing = { instructions: '', tools: [] }

export class PassedMoney {
  readonly #app: Pick<PassthroughApp, 'metrics' | 'log'>
  readonly #options: PassedMoneyOptions
  readonly #responses: StepsAhead
  readonly #transcripts: StepsAhead | undefined
  readonly #underWay = new Map<string, Promise<CallStep | undefined>>()
  #prompt: { instructions: string; tools: readonly unknown[] }
  #isShort = false
  #quiet: (() => void) | undefined
  #isLineClosed = false

  constructor(app: Pick<PassthroughApp, 'metrics' | 'log'>, options: PassedMoneyOptions) {
    this.#app = app
    this.#options = options
    const { money, model, setup } = options
    this.#prompt = setup
    const common = {
      model: model.id,
      unpaid: () => options.unpaid(),
      broke: (error: unknown) => this.#broke(error),
    }
    const refused = () => this.#refused()
    this.#responses = new StepsAhead(money, { ...common, kind: 'response', worst: this.#worst, refused })
    const worst = model.transcription?.cost(maxTurnSeconds).microcredits ?? 0n
    // The answer to the transcribed speech is paid, so it is finished first.
    const isShort = () => {
      this.#isShort = true
    }
    if (worst > 0n)
      this.#transcripts = new StepsAhead(money, { ...common, kind: 'transcription', worst, refused: isShort })
  }

  /** The ids of the responses that the upstream is making. */
  get underWay(): Iterable<string> {
    return this.#underWay.keys()
  }

  /** Opens the first step of each kind. */
  begin(): void {
    this.#isShort = true
    this.#options.work.run(this.#goOn())
  }

  /** Call when a response begins. Returns false where the upstream makes too many at once. */
  began(id: string): boolean {
    if (this.#underWay.has(id)) return true
    if (this.#underWay.size >= maxResponses) return false
    this.#options.money.turns += 1
    this.#underWay.set(id, this.#taken(this.#responses))
    return true
  }

  finished(id: string, end: RealtimeEnd): void {
    const taken = this.#underWay.get(id)
    if (!taken) return
    this.#underWay.delete(id)
    if (this.#underWay.size === 0) this.#quiet?.()
    this.#options.work.run(this.#finish(taken, end))
  }

  /** Charges a transcription; one of unknown length may be as long as a turn. */
  transcribed(seconds = maxTurnSeconds): void {
    const { model, work } = this.#options
    const cost = model.transcription?.cost(seconds)
    if (!this.#transcripts || !cost || cost.microcredits === 0n) return
    const taken = this.#taken(this.#transcripts)
    work.run(taken.then((step) => step?.done(cost, { quantities: { seconds: Math.ceil(seconds) } })))
  }

  /** The caller has set other instructions or tools, which precede each response. */
  updated({ instructions, tools }: SideSettings): void {
    const before = this.#prompt
    this.#prompt = { instructions: instructions ?? before.instructions, tools: tools ?? before.tools }
    this.#options.work.run(this.#responses.setWorst(this.#worst))
  }

  /** Resolves when no response is under way, or the side connection is gone. */
  whenQuiet(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#quiet = resolve
    if (this.#underWay.size === 0 || this.#isLineClosed) resolve()
    return promise
  }

  lineClosed(): void {
    this.#isLineClosed = true
    this.#quiet?.()
  }

  /** Ends the responses under way, whose cost is not reported any more. */
  breakOff(): void {
    for (const id of [...this.#underWay.keys()]) this.finished(id, { status: 'failed' })
  }

  async #taken(steps: StepsAhead): Promise<CallStep | undefined> {
    try {
      return await steps.take()
    } catch (error) {
      // The call is being ended, by another process or because the database is away, and no other code handles what is thrown here.
      if (!(error instanceof CallOver) && !(error instanceof Failure)) this.#broke(error)
      return undefined
    }
  }

  async #finish(taken: Promise<CallStep | undefined>, end: RealtimeEnd): Promise<void> {
    const step = await taken
    if (step) this.#charge(step, end)
    await this.#goOn()
  }

  #charge(step: CallStep, { usage, error, status, hasOutput = false }: RealtimeEnd): void {
    const { id, pricing } = this.#options.model
    const worst = limitCost(step.worst > 0n ? step.worst : this.#responses.worst, { model: id })
    if (usage && !isCounted(usage, { status, hasOutput })) {
      step.done(worst, { quantities: {} })
      this.#alarm({ claimed: claimOf(usage, maxTokens).claimed, believed: maxTokens })
    } else if (usage) {
      const { input: maxInputTokens, output: maxOutputTokens } = maxTokens
      const worstCase = worstCaseOfResponse({ pricing, maxInputTokens, maxOutputTokens }, nothing)
      step.done(costOf(usage, { id, pricing }, worstCase), { quantities: quantitiesOf(usage, maxTokens) })
      this.#check(usage)
    } else if (error && !error.executed) step.done(noCost, { quantities: {} })
    else step.done(worst, { quantities: {}, ambiguous: status === 'failed' })
  }

  #check(usage: RealtimeUsage): void {
    const { claimed, believed } = claimOf(usage, maxTokens)
    if (claimed.input !== believed.input || claimed.output !== believed.output)
      this.#alarm({ claimed, believed })
  }

  #alarm(claim: { claimed: TokenCounts; believed: TokenCounts }): void {
    const { deployment, money } = this.#options
    alarmClaims(this.#app, money.call.receiptId, [], [{ deployment, ...claim }])
  }

  #broke(error: unknown): void {
    this.#options.work.run(Promise.reject(error))
  }

  /** Responses under way are paid, and may leave enough for the next one. */
  #refused(): void {
    this.#isShort = true
    this.#options.work.run(this.#goOn())
  }

  async #goOn(): Promise<void> {
    if (!this.#isShort || this.#underWay.size > 0) return
    const filled = await Promise.all([this.#responses.fill(), this.#transcripts?.fill() ?? true])
    if (filled.every((isOpen) => isOpen)) this.#isShort = false
    else if (this.#underWay.size === 0) this.#options.short()
  }

  get #worst(): bigint {
    const { model, setup } = this.#options
    return worstCaseOfResponse({ ...model, maxOutputTokens: setup.maxOutputTokens }, this.#prompt)
  }
}
