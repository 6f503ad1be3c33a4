/** Completes a caller's request to an order that the model's upstream can fill, or refuses it before any credits are held. */
import type { PricedVideo, VideoCombination, VideoModel } from '#core/models'
import type { Media, ReferenceMode, VideoOrder, VideoResolution } from '#core/turn'
import { fail } from '#platform/errors'
import './phrases.ts'

/** The request as the caller sent it; absent settings come from the model's default. */
export interface VideoSpec {
  prompt: string
  /** The duration in whole seconds. */
  seconds?: number | undefined
  resolution?: VideoResolution | undefined
  aspectRatio?: string | undefined
  withAudio?: boolean | undefined
  /** The pictures with data and media type, in the caller's order. */
  references?: readonly Media[] | undefined
  referenceMode?: ReferenceMode | undefined
  seed?: number | undefined
}

export type VideoSetting = Exclude<keyof VideoSpec, 'prompt'>

/** The name of a setting in the caller's body: the `param` of refusals. */
export type ParamOf = (setting: VideoSetting) => string

/**
 * The complete order. Settings that are not named come from the model's default, or, where that cannot be combined with the named ones, from the
 * first row that has them. Throws VIDEO_SETTING_NOT_SUPPORTED with the name of the setting at fault.
 */
export function planVideo(model: VideoModel, spec: VideoSpec, where: ParamOf): VideoOrder {
  const { row, ...settings } = settingsOf(model, spec, where)
  return {
    prompt: spec.prompt,
    seconds: settings.seconds,
    resolution: settings.resolution,
    aspectRatio: settings.aspectRatio,
    ...(row.audio === 'optional' && { withAudio: settings.withAudio }),
    ...referencesOf(model, spec, where),
    ...seedOf(model, spec, where),
  }
}

/** The settings that a row of combinations has. */
type CombinationSettings = Pick<VideoOrder, 'resolution' | 'seconds' | 'aspectRatio'> & { withAudio: boolean }
type NamedSettings = { [Setting in keyof CombinationSettings]?: CombinationSettings[Setting] | undefined }

const order = ['resolution', 'seconds', 'aspectRatio', 'withAudio'] as const

const audioChoices: Record<VideoCombination['audio'], readonly boolean[]> = {
  always: [true],
  never: [false],
  optional: [true, false],
}

/** All values that a row has of a setting. */
const valuesOf: {
  [Setting in keyof CombinationSettings]: (row: VideoCombination) => readonly CombinationSettings[Setting][]
} = {
  resolution: (row) => [row.resolution],
  seconds: (row) => row.durations,
  aspectRatio: (row) => row.aspectRatios,
  withAudio: (row) => audioChoices[row.audio],
}

const takes = (row: VideoCombination, setting: keyof CombinationSettings, value: unknown): boolean =>
  value === undefined || (valuesOf[setting](row) as readonly unknown[]).includes(value)

const rowFor = (rows: readonly VideoCombination[], named: NamedSettings): VideoCombination | undefined =>
  rows.find((row) => order.every((setting) => takes(row, setting, named[setting])))

function settingsOf(
  model: VideoModel,
  named: NamedSettings,
  where: ParamOf,
): CombinationSettings & { row: VideoCombination } {
  const { combinations, defaults } = model.video
  const wanted: CombinationSettings = { ...defaults, ...definedOf(named) }
  const usual = rowFor(combinations, wanted)
  if (usual) return { ...wanted, row: usual }
  const row = rowFor(combinations, named) ?? refuseNamed(model, named, where)
  /** The named value, else the default where the row has it, else the row's first. */
  const pick = <Setting extends keyof CombinationSettings>(setting: Setting): CombinationSettings[Setting] =>
    takes(row, setting, wanted[setting]) ? wanted[setting] : valuesOf[setting](row)[0]!
  return {
    resolution: pick('resolution'),
    seconds: pick('seconds'),
    aspectRatio: pick('aspectRatio'),
    withAudio: pick('withAudio'),
    row,
  }
}

const definedOf = (named: NamedSettings): Partial<CombinationSettings> =>
  Object.fromEntries(
    order.flatMap((setting) => (named[setting] === undefined ? [] : [[setting, named[setting]]])),
  )

/** Throws for the setting at fault: the first one, in the order of a row, that no row combines with those before it. */
function refuseNamed(model: VideoModel, named: NamedSettings, where: ParamOf): never {
  let rows: readonly VideoCombination[] = model.video.combinations
  for (const setting of order) {
    const fitting = rows.filter((row) => takes(row, setting, named[setting]))
    if (fitting.length === 0) {
      const supported = [...new Set(rows.flatMap((row) => valuesOf[setting](row).map(String)))]
      return refuse(model, setting, String(named[setting]), supported, where)
    }
    rows = fitting
  }
  throw new Error('some row takes all of them')
}

const modes = ['guide', 'frames'] as const

function referencesOf(
  model: VideoModel,
  { references = [], referenceMode }: VideoSpec,
  where: ParamOf,
): Pick<VideoOrder, 'references' | 'referenceMode'> {
  const bounds = model.video.references
  const supported = modes.filter((mode) => bounds[mode] !== undefined)
  if (referenceMode !== undefined && bounds[referenceMode] === undefined)
    refuse(model, 'referenceMode', referenceMode, supported, where)
  if (references.length === 0) return { references: [] }
  const mode = referenceMode ?? supported[0]
  if (mode === undefined) return refuse(model, 'references', String(references.length), [], where)
  const maxReferences = bounds[mode]!
  if (references.length > maxReferences)
    refuse(model, 'references', `${references.length} (${mode})`, [`1–${maxReferences}`], where)
  return { references, referenceMode: mode }
}

function seedOf(model: VideoModel, { seed }: VideoSpec, where: ParamOf): { seed?: number } {
  if (seed === undefined) return {}
  if (!model.video.takesSeed) refuse(model, 'seed', String(seed), [], where)
  return { seed }
}

const refuse = (
  model: VideoModel,
  setting: VideoSetting,
  value: string,
  supported: readonly string[],
  where: ParamOf,
): never =>
  fail(
    'VIDEO_SETTING_NOT_SUPPORTED',
    { model: model.id, setting: where(setting), value, supported: [...supported] },
    { param: where(setting) },
  )

/** The settings by which an order of this model is priced. */
export function pricedSettings(model: VideoModel, planned: VideoOrder): PricedVideo {
  const row = rowFor(model.video.combinations, planned)
  const withAudio = planned.withAudio ?? (row !== undefined && row.audio !== 'never')
  return { resolution: planned.resolution, seconds: planned.seconds, withAudio }
}

/** The same order for another model; undefined where that model cannot fill it. */
export function orderFor(other: VideoModel, model: VideoModel, planned: VideoOrder): VideoOrder | undefined {
  const { withAudio } = pricedSettings(model, planned)
  const { prompt, references, referenceMode, seed, ...named } = planned
  try {
    return planVideo(
      other,
      // A model without seeds makes the video all the same.
      {
        ...{ ...named, prompt, withAudio, references },
        ...(references.length > 0 && { referenceMode }),
        ...(other.video.takesSeed && { seed }),
      },
      (setting) => setting,
    )
  } catch {
    return undefined
  }
}
