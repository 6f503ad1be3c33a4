/** What a kind sees of the models of other kinds. */
import type { NamedModel } from '../models.ts'

/** A model of any kind; `kind` tells which. */
export type KindedModel = NamedModel & { kind: string }

/** The default models by their kinds; a kind without one is absent. */
export type DefaultsByKind = Readonly<Record<string, KindedModel | undefined>>

/** All models of a catalogue, for entries that name others. */
export interface KnownModels {
  /** By ids and aliases. */
  readonly byName: ReadonlyMap<string, KindedModel>
  readonly defaults: DefaultsByKind
}

/** The ids of these models, each once though it may have aliases. */
export const idsOf = <Model extends { id: string }>(
  byName: ReadonlyMap<string, Model>,
  isOne: (model: Model) => boolean,
): string[] => [...byName].flatMap(([name, model]) => (isOne(model) && name === model.id ? [name] : []))
