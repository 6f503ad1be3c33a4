/** The worst-case cost of a model call, which is held before the call. */
import { inputBound } from '#core/metering'
import { affordableOutputTokens, type TextBound, textModels, withHighestPrices } from '#core/models'
import { availableOutputTokens, continuationTokens, type ModelsOptions } from '#core/routing'
import { Failure } from '#platform/errors'
import type { TurnApp } from './app.ts'

/** The smallest answer worth starting when the balance clamps the limit (decisions §6). */
const smallestOutputTokens = 256

/**
 * Holds the worst case of the turn through `take` and returns the output limit that it covers. A limit set by the caller is held as
 * it is. Without one the model's maximum is tried first, then what balance and caps allow; concurrent calls may use some of that in
 * between, hence the few rounds. `alreadyHeld`: the part of the amount that is already held (negative: reserved for other than the model).
 */
export async function holdWorstCase(
  app: Pick<TurnApp, 'config' | 'inference'>,
  options: ModelsOptions,
  alreadyHeld: bigint,
  take: (microcredits: bigint) => Promise<void>,
): Promise<number> {
  const { model, turn } = options
  const conversion = app.config.defaults
  const { priced, bound } = promptBound(app, options)
  const requested = turn.requestedOutputTokens
  const { defaultOutputTokens: usual = Number.POSITIVE_INFINITY } = turn
  const wanted = requested ?? Math.min(usual, availableOutputTokens(model, turn))
  let outputTokens = Math.min(wanted, model.maxOutputTokens)
  for (let round = 1; ; round++) {
    try {
      await take(textModels.worstCase(priced, conversion, { ...bound, outputTokens }))
      return outputTokens
    } catch (error) {
      const free = availableMicrocredits(error)
      if (free === undefined || requested !== undefined || round === 4) throw error
      outputTokens = Math.min(
        outputTokens,
        affordableOutputTokens(priced, conversion, bound, free + alreadyHeld),
      )
      if (outputTokens < smallestOutputTokens) throw error
    }
  }
}

/** The worst-case cost of a turn and the output limit to send; nothing is held. */
export function worstCaseOf(
  app: Pick<TurnApp, 'config' | 'inference'>,
  options: ModelsOptions,
): { microcredits: bigint; maxOutputTokens: number } {
  const { model, turn } = options
  const { priced, bound } = promptBound(app, options)
  const outputTokens = Math.min(
    turn.requestedOutputTokens ?? availableOutputTokens(model, turn),
    model.maxOutputTokens,
  )
  const microcredits = textModels.worstCase(priced, app.config.defaults, { ...bound, outputTokens })
  return { microcredits, maxOutputTokens: outputTokens }
}

/** The highest prices among the models that may answer, and the most that the turn may use beside its output. */
function promptBound(app: Pick<TurnApp, 'inference'>, options: ModelsOptions) {
  const { model, turn } = options
  const input = inputBound(turn)
  const resumes = model.resumes ?? false
  if (resumes) input.text += continuationTokens
  const searches = turn.upstreamSearches ?? 0
  const bound: Omit<TextBound, 'outputTokens'> = {
    input,
    searches,
    compacts: turn.compacts ?? false,
    resumes,
  }
  return { priced: withHighestPrices(app.inference.modelsFor(options)), bound }
}

function availableMicrocredits(error: unknown): bigint | undefined {
  if (!(error instanceof Failure) || error.status !== 402) return undefined
  return (error.detail as { haveMicrocredits?: bigint }).haveMicrocredits
}
