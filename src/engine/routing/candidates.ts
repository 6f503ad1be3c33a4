import type { Turn } from '#engine/inference'
import type { Catalogue, Deployment, Model } from '#engine/models'

/** A deployment that may answer this turn, of the asked model or of one of its fallbacks. */
export interface Candidate {
  model: Model
  deployment: Deployment
}

/** The asked model's deployments, then those of each fallback that can do what the turn asks for. */
export function candidatesOf(
  models: Pick<Catalogue, 'find'>,
  model: Model,
  turn: Turn,
  random: () => number,
): Candidate[] {
  return modelsFor(models, model, turn).flatMap((one) =>
    inOrder(one.deployments, random).map((deployment) => ({ model: one, deployment })),
  )
}

/** The asked model and those of its fallbacks that can do what the turn asks for. */
export function modelsFor(models: Pick<Catalogue, 'find'>, model: Model, turn: Turn): Model[] {
  if (model.fallbacks.length === 0) return [model]
  const fallbacks = model.fallbacks.map((id) => models.find(id)).filter((fallback) => fallback !== undefined)
  return [model, ...fallbacks.filter((fallback) => canAnswer(fallback, turn))]
}

function canAnswer(model: Model, turn: Turn): boolean {
  const needed = new Set(turn.messages.flatMap((message) => message.content.map(({ type }) => type)))
  const effort = turn.reasoning?.enabled ? turn.reasoning.effort : undefined
  return (
    model.kind === 'text' &&
    [...needed].every((modality) => model.inputModalities.includes(modality)) &&
    (turn.tools.length === 0 || model.features.includes('tools')) &&
    (turn.output.type !== 'json_schema' || model.features.includes('json_schema')) &&
    (effort === undefined || model.supportedEfforts.includes(effort))
  )
}

/** Deployments in the order in which they are tried: lower priority first, equal priority by weighted lot. */
export function inOrder(deployments: readonly Deployment[], random: () => number): Deployment[] {
  // Sorting by -ln(u)/weight draws without replacement in proportion to weight (Efraimidis and Spirakis, 2006).
  const lot = new Map(deployments.map((one) => [one, -Math.log(1 - random()) / one.weight]))
  return [...deployments].sort((a, b) => a.priority - b.priority || lot.get(a)! - lot.get(b)!)
}
