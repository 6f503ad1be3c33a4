/** The models that answer where none is named: the default model of each kind, and the models of Studio's presets. */
import assert from 'node:assert/strict'
import type { Config } from '#platform/config'
import type { ModelKind } from './kinds/kind.ts'
import type { AnyModel, Kinds, ModelOf } from './kinds/kinds.ts'
import { idsOf } from './kinds/known-models.ts'
import type { Model } from './kinds/text/text-model.ts'
import { phrases, refuseConfig } from './phrases.ts'
import { type PlacedName, type Preset, type PresetNames, presets } from './settings.ts'

type ModelsByName = ReadonlyMap<string, AnyModel>
/** Models by their kinds. */
type ModelsByKind = Readonly<Record<string, AnyModel | undefined>>

type PossibleDefaults = { readonly [Kind in AnyModel['kind']]?: ModelOf<Kind> }

/** The default model of each kind; a kind without one is absent. */
export interface DefaultModels extends PossibleDefaults {
  readonly text: Model
}

type PossiblePresets = { readonly [Kind in AnyModel['kind']]?: Record<Preset, ModelOf<Kind>> }

/** The models of Studio's presets, by the kind of what they make; a kind that no model makes is absent. */
export interface StudioPresets extends PossiblePresets {
  readonly text: Record<Preset, Model>
}

/** The default models by kind. Throws `StartRefused` for a name that is no model which may be the default. */
export function defaultModelsOf({ all }: Kinds, { defaults }: Config, models: ModelsByName): ModelsByKind {
  const found: Record<string, AnyModel | undefined> = {}
  for (const one of all) {
    const model = defaultModelOf(one, defaults.models[one.kind], models, found)
    if (model) found[one.kind] = model
  }
  assert(found['text'], 'the sandbox always offers a text model')
  return found
}

/** The model that the file names, else the first one of the kind if its rule says so; undefined where there is none. */
function defaultModelOf(
  one: ModelKind,
  named: PlacedName | undefined,
  models: ModelsByName,
  defaults: ModelsByKind,
): AnyModel | undefined {
  const { kind, defaultModel: rule } = one
  if (!rule) return undefined
  const mayBe = (model: AnyModel): boolean => model.kind === kind && (rule.mayBe?.(model) ?? true)
  if (!named) return rule.isFirst ? [...models.values()].find(mayBe) : undefined
  const { model: name, where } = named
  const model = models.get(name)
  if (model && mayBe(model)) return model
  const made = model && rule.madeOf?.(model, defaults)
  if (made) return made as AnyModel
  const known = idsOf(models, mayBe)
  return refuseConfig(rule.refusal?.(where, name, known) ?? phrases.noPreset(where, name, kind, known))
}

/** The ids of the models that answer calls which name no model. */
export const answeringModels = ({ all }: Kinds, defaults: ModelsByKind): ReadonlySet<string> =>
  new Set(all.flatMap(({ kind, defaultModel }) => (defaultModel?.answersCalls && defaults[kind]?.id) || []))

/** The models of the presets, by kind. Throws `StartRefused` for a name that is no model of the kind. */
export function studioPresetsOf(
  { all }: Kinds,
  { defaults: { studio } }: Config,
  models: ModelsByName,
  defaults: ModelsByKind,
): StudioPresets {
  const found: Record<string, Record<Preset, AnyModel>> = {}
  for (const one of all) {
    if (!one.presets) continue
    const own = presetModels(one.kind, studio[one.kind] ?? {}, models, standardOf(one, models, defaults))
    if (own) found[one.kind] = own
  }
  assert(found['text'], 'the kind text has presets')
  return found as unknown as StudioPresets
}

/** The model of presets of which none is named: the one that answers calls of the kind, else the first of the catalogue. */
const standardOf = (one: ModelKind, models: ModelsByName, defaults: ModelsByKind): AnyModel | undefined =>
  one.defaultModel?.answersCalls
    ? defaults[one.kind]
    : [...models.values()].find(({ kind }) => kind === one.kind)

/** A preset without a model of its own has the one of `balanced`, else of any other preset, else the standard one. Undefined where there is none. */
function presetModels(
  kind: string,
  names: PresetNames,
  models: ModelsByName,
  standard: AnyModel | undefined,
): Record<Preset, AnyModel> | undefined {
  const own: Partial<Record<Preset, AnyModel>> = {}
  for (const preset of presets) {
    const name = names[preset]
    if (!name) continue
    const model = models.get(name.model)
    if (model?.kind !== kind)
      return refuseConfig(
        phrases.noPreset(
          name.where,
          name.model,
          kind,
          idsOf(models, (one) => one.kind === kind),
        ),
      )
    own[preset] = model
  }
  const rest = own.balanced ?? own.fast ?? own.quality ?? standard
  return rest && { fast: own.fast ?? rest, balanced: rest, quality: own.quality ?? rest }
}

/** The presets of Studio that this model serves. */
export const presetsOf = (studio: StudioPresets, { id, kind }: AnyModel): Preset[] => {
  const models = studio[kind]
  return presets.filter((preset) => models?.[preset].id === id)
}
