/**
 * An answer with hosted tools: the model is called, its tool calls are executed, and it is called again with their results, at
 * most five steps. A call to one of the caller's own tools ends the answer, as without hosted tools.
 */

import { type Cost, type CostLine, costOfLines } from '#core/models'
import type { PartSink } from '#core/spec'
import type { AnswerState, HostedTool, HostedTools } from '#core/tools'
import type {
  AnswerPart,
  Citation,
  HostedToolEntry,
  HostedToolSet,
  Message,
  ToolCall,
  ToolResult,
  Turn,
  Usage,
} from '#core/turn'
import type { Failure } from '#platform/errors'
import { exactly, readJsonSync } from '#platform/json'
import type { Quantities } from '#platform/ledger'
import { Citations, citeByLink } from './citations.ts'
import { PriorContext } from './prior-context.ts'
import type { AnswerListener, ModelStep } from './step.ts'
import { type Finish, StepAnswer } from './step-answer.ts'

/** The most steps of an answer (contract section 8). */
const maxSteps = 5
const defaultMaxUses = 5

export interface HostedOptions {
  /** A turn that `withHostedTools` made. */
  turn: Turn
  tools: HostedTools
  accountId: string
  nowMs: () => number
  /** Throws when the payer's key no longer permits paid work. */
  mayUse(): Promise<void>
  /** Extends the hold and calls the model again; returns undefined when the balance does not cover it. */
  nextStep(turn: Turn): Promise<ModelStep | undefined>
  /** Usage of all steps so far. */
  usage(): Usage
  /** False when the answer is finished although its caller disconnected. */
  endsWithCaller: boolean
}

/** Usage totals of one tool. */
export interface ToolUse {
  tool: HostedToolEntry['tool']
  uses: number
  failed: number
  succeeded: number
  microcredits: bigint
}

/** The turn with its hosted tools added to the tool definitions; the request body is serialized again for every wire. */
export function withHostedTools(turn: Turn, tools: HostedTools): Turn {
  const definitions = (turn.hosted?.tools ?? []).map(({ tool, name, param }) => {
    const { description, parameters } = tools.requireTool(tool, param)
    return { name, description, parameters }
  })
  return { ...turn, tools: [...turn.tools, ...definitions], source: { wire: turn.source.wire } }
}

/** Receives the answer with its tools; an error that it throws at a tool's part is passed to its `failed`. */
export interface HostedListener extends PartSink<unknown>, Pick<AnswerListener, 'unsentArgumentBytes'> {}

export class HostedAnswer implements AnswerListener {
  readonly #options: HostedOptions
  readonly #gone = new AbortController()
  #listener!: HostedListener
  /** The step that is under way, its number from 1, its turn and what it wrote so far. */
  #step: ModelStep | undefined
  #number = 0
  #turn: Turn
  #answer!: StepAnswer
  readonly #hosted: HostedToolSet
  readonly #uses: Map<string, ToolUse>
  readonly #citations = new Citations()
  readonly #prior: PriorContext
  readonly #state: AnswerState = {}
  /** Number of calls to the caller's own tools that were sent to the caller. */
  #calls = 0

  constructor(options: HostedOptions) {
    this.#options = options
    this.#turn = options.turn
    this.#hosted = options.turn.hosted!
    this.#uses = new Map(
      this.#hosted.tools.map(({ name, tool }) => [
        name,
        { tool, uses: 0, failed: 0, succeeded: 0, microcredits: 0n },
      ]),
    )
    const { openable } = this.#hosted
    this.#prior = new PriorContext(openable === undefined ? options.turn.messages : [])
    if (openable !== undefined) this.#prior.add(openable)
    this.#citations.addSources(this.#hosted.found ?? [], true)
  }

  get uses(): ToolUse[] {
    return [...this.#uses.values()].filter(({ uses }) => uses > 0)
  }
  get #usesOfAll(): number {
    return this.uses.reduce((sum, { uses }) => sum + uses, 0)
  }
  /** The fees of the uses so far. */
  get cost(): Cost {
    const lines = this.#hosted.tools.flatMap((use): CostLine[] => {
      const { unit = 'uses', price } = this.#toolOf(use)
      return price === 0n ? [] : [{ unit, quantity: this.#uses.get(use.name)!.succeeded, price }]
    })
    return costOfLines(lines)
  }
  /** Uses that succeeded, in the unit of each tool that has one. */
  get quantities(): Quantities[] {
    return this.#hosted.tools.flatMap((use) => {
      const { unit } = this.#toolOf(use)
      return unit === undefined ? [] : [{ [unit]: this.#uses.get(use.name)!.succeeded }]
    })
  }
  /** Maximum fees of the remaining uses. */
  get worstFees(): bigint {
    return this.#hosted.tools.reduce((sum, use) => {
      const left = (use.maxUses ?? defaultMaxUses) - this.#uses.get(use.name)!.uses
      return sum + BigInt(left) * this.#toolOf(use).price
    }, 0n)
  }

  /** Begins with the first step; call once. A failure of a tool or of the hold is passed to the listener as it was thrown. */
  start(first: ModelStep, listener: HostedListener): void {
    this.#listener = listener
    this.#begin(first, this.#options.turn)
  }

  /** The caller disconnected: running tools are aborted and no further step is begun. */
  leave(): void {
    if (this.#options.endsWithCaller) this.#gone.abort()
  }

  part(part: AnswerPart): void {
    this.#show(this.#answer.add(part))
  }

  flush(): void {
    this.#listener.flush()
  }

  done(): void {
    this.#afterStep().catch((error: unknown) => this.#listener.failed(error))
  }

  failed(failure: Failure): void {
    this.#listener.failed(failure)
  }

  /** The arguments of hosted tools are shown only when the tool runs. */
  get unsentArgumentBytes(): number {
    return this.#answer.hostedArgumentBytes + (this.#listener.unsentArgumentBytes ?? 0)
  }

  #begin(step: ModelStep, turn: Turn): void {
    this.#number++
    this.#step = step
    this.#turn = turn
    this.#answer = new StepAnswer(this.#uses, () => this.#calls++)
    step.start(this)
  }

  /** A step is complete: its tools are run, and the next step is begun with their results, or the answer ends. */
  async #afterStep(): Promise<void> {
    const answer = this.#answer
    const number = this.#number
    this.#cite(this.#citations.end())
    const calls = answer.isComplete && number <= maxSteps ? answer.hosted : []
    const results = await this.#use(calls)
    const end = this.#endAfter(number, answer, calls.length)
    if (end) return this.#finish(end)
    const outputTokens = this.#step!.usage().output
    const turn = this.#next(this.#turn, answer, results, { number: number + 1, outputTokens })
    const step = await this.#options.nextStep(turn)
    if (step) this.#begin(step, turn)
    // A step that cannot be paid is not started; the answer so far is delivered.
    else this.#finish({ reason: this.#hosted.atLimit === 'pause' ? 'pause' : 'length' })
  }

  #finish(end: Finish): void {
    this.#listener.part({ type: 'usage', usage: this.#options.usage() })
    this.#listener.part({ type: 'finish', ...end })
    this.#listener.done()
  }

  #endAfter(number: number, { finish, callsOfCaller }: StepAnswer, used: number): Finish | undefined {
    if (callsOfCaller > 0 && used > 0) return { reason: 'tool_calls' }
    if (used > 0)
      return number === maxSteps && this.#hosted.atLimit === 'pause' ? { reason: 'pause' } : undefined
    // A model that calls a hosted tool after the last step gets no result: the answer simply stops.
    return finish.reason === 'tool_calls' && callsOfCaller === 0 ? { reason: 'stop' } : finish
  }

  /** Delivers one part of a step: a single `start`, no per-step `usage`, and no wire-specific fields. */
  #show(part: AnswerPart | undefined): void {
    if (!part || part.type === 'usage' || (part.type === 'start' && this.#number > 1)) return
    // Citations at the end of the text are delivered while the text block is still open.
    if (part.type === 'tool-call') this.#cite(this.#citations.end())
    const { extra: _, ...plain } = part
    if (plain.type !== 'extra') this.#listener.part(plain)
    if (part.type === 'text') this.#cite(this.#citations.add(part.text))
  }

  #cite(found: readonly Citation[]): void {
    for (const citation of found) this.#listener.part({ type: 'citation', citation })
  }

  /** Runs the called tools concurrently and delivers their results in the order of the calls. */
  async #use(calls: readonly ToolCall[]): Promise<ToolResult[]> {
    if (calls.length === 0) return []
    await this.#options.mayUse()
    this.#citations.restart()
    const asked = calls.map((call) => ({
      ...call,
      input: parsed(call.arguments),
      use: this.#useOf(call.name),
    }))
    for (const { id, name, input, use } of asked)
      this.#listener.part({ type: 'hosted-call', id, tool: use.tool, name, input: exactly(input) })
    this.#listener.flush()
    const running = asked.map(({ input, use }) => this.#run(use, input))
    // The first rejection ends the answer; the others must not become unhandled rejections.
    for (const one of running) one.catch(() => {})
    const results: ToolResult[] = []
    for (const [position, { id, name, use }] of asked.entries()) {
      const result = await running[position]!
      results.push(result)
      this.#prior.add(result.content)
      this.#citations.addSources(result.results, use.tool === 'web_search')
      this.#listener.part({ type: 'hosted-result', id, tool: use.tool, name, result })
      this.#listener.flush()
    }
    return results
  }

  /** Runs one tool use; a failed use is free of charge. */
  async #run(use: HostedToolEntry, input: unknown): Promise<ToolResult> {
    const tool = this.#toolOf(use)
    const count = this.#uses.get(use.name)!
    const isSpentUp =
      count.uses >= (use.maxUses ?? defaultMaxUses) || this.#usesOfAll >= (this.#hosted.maxUses ?? Infinity)
    if (isSpentUp) return refused('max_uses_exceeded', usesExceededText)
    count.uses++
    const result = this.#isUnknownUrl(use, input)
      ? refused('url_not_in_prior_context', unknownUrlText)
      : await this.#call(tool, use, input)
    if (result.error === undefined) {
      count.succeeded++
      count.microcredits += tool.price
    } else count.failed++
    return result
  }

  #call(tool: HostedTool, use: HostedToolEntry, input: unknown): Promise<ToolResult> {
    const { maxContentTokens, allowedDomains, blockedDomains, timeZone } = use
    return tool.run(input, {
      accountId: this.#options.accountId,
      signal: this.#gone.signal,
      nowMs: this.#options.nowMs(),
      state: this.#state,
      ...(maxContentTokens !== undefined && { maxContentTokens }),
      ...(allowedDomains && { allowedDomains }),
      ...(blockedDomains && { blockedDomains }),
      ...(timeZone !== undefined && { timeZone }),
    })
  }

  #isUnknownUrl({ tool }: HostedToolEntry, input: unknown): boolean {
    const url = (input as { url?: unknown } | null)?.url
    return tool === 'web_fetch' && typeof url === 'string' && !this.#prior.names(url)
  }

  #next(
    turn: Turn,
    answer: StepAnswer,
    results: readonly ToolResult[],
    { number, outputTokens }: { number: number; outputTokens: number },
  ): Turn {
    const answers = answer.hosted.map(({ id }, position) => toolMessage(id, results[position]!))
    const limit = turn.requestedOutputTokens
    return {
      ...turn,
      messages: [...turn.messages, answer.message, ...answers],
      // A forced tool choice is satisfied by now; after the last step no tool may be called.
      toolChoice: { type: number > maxSteps ? 'none' : 'auto' },
      ...(limit !== undefined && { requestedOutputTokens: Math.max(1, limit - outputTokens) }),
    }
  }

  #useOf = (name: string): HostedToolEntry => this.#hosted.tools.find((use) => use.name === name)!
  #toolOf = ({ tool, param }: HostedToolEntry): HostedTool => this.#options.tools.requireTool(tool, param)
}

const usesExceededText = 'this tool may not be used again in this answer; answer with what you have.'
const unknownUrlText =
  'only addresses that the user gave or that a search or a page has shown can be fetched.'

const refused = (error: 'max_uses_exceeded' | 'url_not_in_prior_context', why: string): ToolResult => ({
  content: `Error (${error}): ${why}`,
  results: [],
  error,
})

function toolMessage(id: string, { content, results, error }: ToolResult): Message {
  const text = results.length > 0 ? `${content}\n\n${citeByLink}` : content
  return { role: 'tool', toolCallId: id, content: [{ type: 'text', text }], ...(error && { isError: true }) }
}

function parsed(text: string): unknown {
  try {
    return readJsonSync(text || '{}', { exact: true })
  } catch {
    return {}
  }
}
