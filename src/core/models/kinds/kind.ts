/** Everything about one kind of models, in one value. */
import type { Static, TObject, TSchema } from 'typebox'
import type { UpstreamError } from '#core/spec'
import type { ConfigNode, Sentence } from '#platform/config'
import type { Attributes } from '#platform/trace'
import type { NamedModel } from '../models.ts'
import type { KnownPrice } from '../prices.ts'
import type { Dialect, ProviderConfig } from '../provider-settings.ts'
import { type Cost, type CostLine, costOfLines, sumOfLines } from './cost.ts'
import type { DefaultsByKind, KindedModel, KnownModels } from './known-models.ts'
import type { PriceConversion } from './microcredits.ts'
import type { NamedEntry } from './named.ts'

/** The providers that fill the orders of a kind, by its name: each kind adds its own by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: the kinds fill it.
export interface OrderProviders {}

/** The members of a model's card that differ by its kind. */
export interface CardMembers {
  output_modalities: string[]
  context_length: number | null
  max_output_tokens: number | null
  features: readonly string[]
  reasoning: { supported_efforts: readonly string[] }
  media_input: { input_per_million: number } | null
  /** Prices by the kind's own schema, without currency and the value of a credit, which all prices have. */
  pricing: Record<string, unknown>
  studio_settings: Record<string, unknown> | null
}

/** The members of cards of models that fill orders, and do not read or write tokens as text models do. */
export const withoutTokens = {
  context_length: null,
  max_output_tokens: null,
  features: [],
  reasoning: { supported_efforts: [] },
  media_input: null,
} satisfies Partial<CardMembers>

/** A model of one kind in a table for operators; what a kind does not have is absent. */
export interface ModelFigures {
  contextLength?: number
  maxOutputTokens?: number
  inputPerMillion?: number
  outputPerMillion?: number
  perImage?: number
  abilities: readonly string[]
}

/** The default model of a kind: the setting that names it, and which models it may be. */
export interface DefaultModel<Model> {
  /** The setting in `defaults` of the configuration file, such as `video_model`. */
  readonly setting: string
  /** What the setting takes. */
  readonly expected: Sentence
  /** Where the file names none: true for the first model of the catalogue that may be it, false for none. */
  readonly isFirst: boolean
  /** Whether it answers the calls of its kind that name no model, which its card says. False: it only helps other models. */
  readonly answersCalls: boolean
  /** Whether a model of this kind may be it; absent: each may. */
  mayBe?(model: Model): boolean
  /** Makes it of a named model of another kind; undefined if that is not possible. `defaults` are those of the kinds before this one. */
  madeOf?(model: KindedModel, defaults: DefaultsByKind): Model | undefined
  /** The refusal of a name that is no such model; absent: the sentence of all kinds. */
  refusal?(where: string, name: string, known: readonly string[]): Sentence
}

/**
 * A kind of models. `Used` is what is paid for, `Asked` what a hold must cover before it is known what will be used; money is in
 * micro-credits. Text is called as a stream of parts; every other kind is an order, filled whole or not at all, whose `Asked` is what
 * `startPaidOrder` of `#core/paid` holds, routes and explains by this value alone.
 */
export interface ModelKind<
  Model extends NamedModel & { kind: string } = NamedModel & { kind: string },
  Entry extends NamedEntry & { kind: string } = NamedEntry & { kind: string },
  Used = unknown,
  Asked = unknown,
  Call = unknown,
> {
  readonly kind: Model['kind']
  /** The schema of the kind's entries in the configuration file. */
  readonly entry: TSchema
  readEntry(typed: unknown, node: ConfigNode): Entry
  /** The dialects of which a provider needs one to have deployments of this kind. */
  readonly dialects: readonly Dialect[]
  /** Completes `the provider x, which …` for a provider without any of these dialects. */
  readonly missingDialect: Sentence
  /** Completes `the provider x, …` with what this entry promises and the dialects of the provider cannot do; undefined if they can. */
  unsupported?(entry: Entry, dialects: readonly Dialect[]): Sentence | undefined
  modelOf(entry: Entry, more: ModelBasis): Model
  /** Completes the model of an entry that names other models; throws `StartRefused` where they are not there. */
  complete?(entry: Entry, known: KnownModels): void
  /** Absent: the kind has no default model. */
  readonly defaultModel?: DefaultModel<Model>
  /** What the presets of Studio take in the configuration file; absent: Studio makes nothing of this kind by presets. */
  readonly presets?: Sentence
  /** The schemas of `pricing` and `studio_settings` on a card. */
  readonly pricing: TObject
  readonly studioSettings?: TObject
  card(model: Model): CardMembers
  figures(model: Model): ModelFigures
  /** The figures of a model for programs. */
  details(model: Model): Record<string, unknown>
  /** All prices of a model, each in USD; for checks of a catalogue. */
  prices(model: Model): readonly number[]
  /** The name of the call in spans (OpenTelemetry's conventions for generative AI), and the other attributes of these spans. */
  readonly operation: string
  readonly attributes?: Attributes
  /** Asks a provider of this kind once: a function of that provider and of the call. */
  readonly callProvider: Call
  /** Whether a call may be repeated, here or elsewhere, after this failure: a call that an upstream has executed would be billed twice. */
  mayRepeat(failure: UpstreamError, isBackground: boolean): boolean
  /** Whether the upstream did nothing, as far as this failure tells, so that the idempotency key may be used again. */
  mayReleaseClaim(failure: UpstreamError, isBackground: boolean): boolean
  /** How the cost of what was used is computed; `cost` and `price` are made of these lines alone. */
  lines(model: Model, conversion: PriceConversion, used: Used): readonly CostLine[]
  /** The cost of what was used, with its lines. */
  cost(model: Model, conversion: PriceConversion, used: Used): Cost
  /** The cost of what was used. */
  price(model: Model, conversion: PriceConversion, used: Used): bigint
  /** The most that a call can cost. */
  worstCase(model: Model, conversion: PriceConversion, asked: Asked): bigint
}

/** What every model has, whatever its kind, and the providers that could answer for it. */
export interface ModelBasis {
  named: Omit<NamedModel, 'inputModalities'>
  providers: ReadonlyMap<string, ProviderConfig>
  /** The list price of an upstream's model, where one is known. */
  knownPrice(baseUrl: string, model: string): KnownPrice | undefined
}

/** Makes a kind as its folder declares it: the entry is read with the type of its schema. */
export function modelKind<
  Schema extends TObject,
  Model extends NamedModel & { kind: string },
  Entry extends NamedEntry & { kind: Model['kind'] },
  Used,
  Asked,
  Call,
>(
  declared: Omit<ModelKind<Model, Entry, Used, Asked, Call>, 'entry' | 'readEntry' | 'cost' | 'price'> & {
    entry: Schema
    readEntry(typed: Static<Schema>, node: ConfigNode): Entry
  },
): ModelKind<Model, Entry, Used, Asked, Call> {
  return {
    ...declared,
    readEntry: (typed, node) => declared.readEntry(typed as Static<Schema>, node),
    cost: (model, conversion, used) =>
      costOfLines(declared.lines(model, conversion, used), { model: model.id }),
    price: (model, conversion, used) => sumOfLines(declared.lines(model, conversion, used)),
  }
}
