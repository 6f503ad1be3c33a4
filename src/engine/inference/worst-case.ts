/** The worst-case cost of a model call, which is held before the call. */
import type { App } from '#app'
import {
  dearest,
  inputBound,
  inputWorstCase,
  outputTokensFor,
  outputWorstCase,
  type Rates,
  ratesOf,
  searchesWorstCase,
} from '#engine/metering'
import { continuationTokens, type ModelsOptions, roomFor } from '#engine/routing'
import { Failure } from '#platform/errors'

/** The smallest answer worth starting when the balance clamps the limit (decisions §6). */
const smallestOutputTokens = 256

/**
 * Holds the worst case of the turn through `take` and returns the output limit that it covers. A limit set by the caller is held as
 * it is. Without one the model's maximum is tried first, then what balance and caps allow; concurrent calls may use some of that in
 * between, hence the few rounds. `beside`: the part of the amount that is already held (negative: reserved for other than the model).
 */
export async function takeWorstCase(
  app: App,
  options: ModelsOptions,
  beside: bigint,
  take: (microcredits: bigint) => Promise<void>,
): Promise<number> {
  const { model, turn } = options
  const { rates, input } = promptOf(app, options)
  const requested = turn.requestedOutputTokens
  const { defaultOutputTokens: usual = Number.POSITIVE_INFINITY } = turn
  const wanted = requested ?? Math.min(usual, roomFor(model, turn))
  let maxOutputTokens = Math.min(wanted, model.maxOutputTokens)
  for (let round = 1; ; round++) {
    try {
      await take(input + worstAnswer(options, rates, maxOutputTokens))
      return maxOutputTokens
    } catch (error) {
      const free = haveOf(error)
      if (free === undefined || requested !== undefined || round === 4) throw error
      const have = free + beside
      const paid = outputTokensFor(answerRates(options, rates), have > input ? have - input : 0n)
      maxOutputTokens = Math.min(maxOutputTokens, paid)
      if (maxOutputTokens < smallestOutputTokens) throw error
    }
  }
}

/** The worst-case cost of a turn and the output limit to send; nothing is held. */
export function worstCaseOf(
  app: App,
  options: ModelsOptions,
): { microcredits: bigint; maxOutputTokens: number } {
  const { model, turn } = options
  const { rates, input } = promptOf(app, options)
  const maxOutputTokens = Math.min(turn.requestedOutputTokens ?? roomFor(model, turn), model.maxOutputTokens)
  return { microcredits: input + worstAnswer(options, rates, maxOutputTokens), maxOutputTokens }
}

/** The highest rates among the models that may answer, and the cost of the prompt at these rates. */
function promptOf(app: App, options: ModelsOptions): { rates: Rates; input: bigint } {
  const models = app.inference.modelsFor(options)
  const rates = dearest(models.map(({ pricing }) => ratesOf(pricing, app.config.defaults)))
  const bound = inputBound(options.turn)
  if (options.model.resumes) bound.text += continuationTokens
  const readings = options.turn.compacts ? 2n : 1n
  return { rates, input: readings * inputWorstCase(rates, bound) + searchesWorstCase(rates, options.turn) }
}

/**
 * If another deployment may continue an interrupted answer, it reads the text so far as prompt again, perhaps writing it to a cache.
 * With compaction the summary is billed as output too.
 */
function answerRates({ model, turn }: Pick<ModelsOptions, 'model' | 'turn'>, rates: Rates): Rates {
  const reading = rates.cacheWrite > rates.input ? rates.cacheWrite : rates.input
  const output = rates.output + (model.resumes ? reading : 0n) + (turn.compacts ? rates.output : 0n)
  return { ...rates, output }
}

const worstAnswer = (options: Pick<ModelsOptions, 'model' | 'turn'>, rates: Rates, tokens: number): bigint =>
  outputWorstCase(answerRates(options, rates), tokens)

function haveOf(error: unknown): bigint | undefined {
  if (!(error instanceof Failure) || error.status !== 402) return undefined
  return (error.detail as { haveMicrocredits?: bigint }).haveMicrocredits
}
