/** The worst case of a call of a model: what is held before it is asked. */
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
 * Takes the worst case of the turn by `take` and answers the output limit that is paid for. The caller's own limit is held as it
 * is. Without one the whole of the model is tried, then what the balance and caps leave; others may take of it in between, hence
 * the few rounds. `beside`: what of the money asked for is there already (or, below zero, is for other things than the model).
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

/** What a turn that names its limit may cost at most, and the limit that is sent; the money is somebody else's affair. */
export function worstCaseOf(
  app: App,
  options: ModelsOptions,
): { microcredits: bigint; maxOutputTokens: number } {
  const { model, turn } = options
  const { rates, input } = promptOf(app, options)
  const maxOutputTokens = Math.min(turn.requestedOutputTokens ?? roomFor(model, turn), model.maxOutputTokens)
  return { microcredits: input + worstAnswer(options, rates, maxOutputTokens), maxOutputTokens }
}

/** The dearest prices of those that may answer, and what the prompt costs at them. */
function promptOf(app: App, options: ModelsOptions): { rates: Rates; input: bigint } {
  const models = app.inference.modelsFor(options)
  const rates = dearest(models.map(({ pricing }) => ratesOf(pricing, app.config.defaults)))
  const bound = inputBound(options.turn)
  if (options.model.resumes) bound.text += continuationTokens
  const readings = options.turn.sumsUp ? 2n : 1n
  return { rates, input: readings * inputWorstCase(rates, bound) + searchesWorstCase(rates, options.turn) }
}

/**
 * An answer that may be gone on with elsewhere is read there as prompt once more, perhaps into a cache. Beside one before which the
 * conversation is summed up stands the summary.
 */
function answerRates({ model, turn }: Pick<ModelsOptions, 'model' | 'turn'>, rates: Rates): Rates {
  const reading = rates.cacheWrite > rates.input ? rates.cacheWrite : rates.input
  const output = rates.output + (model.resumes ? reading : 0n) + (turn.sumsUp ? rates.output : 0n)
  return { ...rates, output }
}

const worstAnswer = (options: Pick<ModelsOptions, 'model' | 'turn'>, rates: Rates, tokens: number): bigint =>
  outputWorstCase(answerRates(options, rates), tokens)

function haveOf(error: unknown): bigint | undefined {
  if (!(error instanceof Failure) || error.status !== 402) return undefined
  return (error.detail as { haveMicrocredits?: bigint }).haveMicrocredits
}
