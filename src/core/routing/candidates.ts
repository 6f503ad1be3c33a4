import { linkedKinds } from '#core/media'
import { inputBound } from '#core/metering'
import type { Catalogue, Deployment, Model } from '#core/models'
import type { MessageContent, Modality, Turn } from '#core/turn'
import { supportsBudget } from './budget.ts'

/** A deployment that may answer a turn, of the requested model or of one of its fallbacks. */
export interface TurnCandidate {
  model: Model
  deployment: Deployment
}

export interface ModelsOptions {
  model: Model
  turn: Turn
  /** Ids of the models that the caller may use; undefined allows all. */
  allowed: ReadonlySet<string> | undefined
}

/** The requested model's deployments, then those of each fallback that supports the turn's features. */
export function candidatesOf(
  models: Pick<Catalogue, 'find'>,
  options: ModelsOptions,
  random: () => number,
): TurnCandidate[] {
  return modelsFor(models, options).flatMap((model) =>
    orderDeployments(deploymentsFor(model, options.turn), random).map((deployment) => ({
      model,
      deployment,
    })),
  )
}

/** The requested model and those of its fallbacks that the caller may use and that support the turn's features. */
export function modelsFor(models: Pick<Catalogue, 'find'>, { model, turn, allowed }: ModelsOptions): Model[] {
  if (model.fallbacks.length === 0) return [model]
  const fallbacks = model.fallbacks
    .map((id) => models.find(id))
    .filter((fallback) => fallback?.kind === 'text')
  const usable = fallbacks.filter(({ id }) => !allowed || allowed.has(id))
  return [model, ...usable.filter((fallback) => canAnswer(fallback, turn))]
}

function canAnswer(model: Model, turn: Turn): boolean {
  const needed = new Set(turn.messages.flatMap((message) => message.content.flatMap(modalitiesOf)))
  const { effort, maxTokens } = turn.reasoning?.enabled ? turn.reasoning : {}
  return (
    model.kind === 'text' &&
    deploymentsFor(model, turn).length > 0 &&
    [...needed].every((modality) => model.inputModalities.includes(modality)) &&
    ((turn.tools.length === 0 && !turn.hosted) || model.features.includes('tools')) &&
    (turn.output.type !== 'json_schema' || model.features.includes('json_schema')) &&
    (effort === undefined || model.supportedEfforts.includes(effort)) &&
    (maxTokens === undefined || supportsBudget(model, maxTokens, turn.source.wire))
  )
}

function modalitiesOf(content: MessageContent): Modality[] {
  if (content.type === 'reasoning') return []
  if (content.type !== 'document') return [content.type]
  return 'parts' in content ? content.parts.flatMap(modalitiesOf) : ['file']
}

/** The deployments that can express the entire turn: only those of its own wire if it uses a feature of that wire alone. */
export function deploymentsFor(model: Model, { sourceWireOnly, source }: Turn): readonly Deployment[] {
  if (!sourceWireOnly) return model.deployments
  return model.deployments.filter(({ wires }) => wires === undefined || wires.includes(source.wire))
}

/** Deployments in the order in which they are tried: lower priority first, equal priority in weighted random order. */
export function orderDeployments(
  deployments: readonly Deployment[],
  random: () => number,
): readonly Deployment[] {
  if (deployments.length === 1) return deployments
  // Sorting by -ln(u)/weight draws without replacement in proportion to weight (Efraimidis and Spirakis, 2006).
  const lots = deployments.map((deployment) => ({
    deployment,
    lot: -Math.log(1 - random()) / deployment.weight,
  }))
  lots.sort((a, b) => a.deployment.priority - b.deployment.priority || a.lot - b.lot)
  return lots.map(({ deployment }) => deployment)
}

const smallestRoomTokens = 256

/** Tokens of the context window left for output. Some upstreams refuse a larger limit, even one that the caller did not set. */
export function availableOutputTokens({ contextLength }: Model, turn: Turn): number {
  const { text, image, media } = inputBound(turn)
  // A document that only the upstream opens could fill the window, and most leave it nearly empty.
  const max = linkedKinds(turn.messages).has('document') ? contextLength / 2 : contextLength
  return Math.max(smallestRoomTokens, contextLength - Math.min(max, text + image + media))
}

/** The turn with an output limit that fits the fallback model. */
export function turnFor(fallback: Model, turn: Turn): Turn {
  const room =
    turn.requestedOutputTokens === undefined ? availableOutputTokens(fallback, turn) : turn.maxOutputTokens
  const maxOutputTokens = Math.min(turn.maxOutputTokens, fallback.maxOutputTokens, room)
  return maxOutputTokens === turn.maxOutputTokens ? turn : { ...turn, maxOutputTokens }
}
