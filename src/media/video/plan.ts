/** Completes a caller's request to an order that the model's upstream can fill, or refuses it before any credits are held. */
import type { PricedVideo, VideoCombination, VideoModel } from '#core/models'
import type { Media, ReferenceMode, VideoOrder, VideoResolution } from '#core/turn'
import { fail } from '#platform/errors'
import './phrases.ts'

/** The request as the caller sent it; absent settings come from the model's default. */
export interface VideoWish {
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

export type VideoSetting = Exclude<keyof VideoWish, 'prompt'>

/** The name of a setting in the caller's body: the `param` of refusals. */
export type Where = (setting: VideoSetting) => string

/**
 * The complete order. Settings that are not named come from the model's default, or, where that cannot be combined with the named ones, from the
 * first row that has them. Throws VIDEO_SETTING_NOT_SUPPORTED with the name of the setting at fault.
 */
export function planVideo(model: VideoModel, wish: VideoWish, where: Where): VideoOrder {
  const { row, ...settings } = settingsOf(model, wish, where)
  return {
    prompt: wish.prompt,
    seconds: settings.seconds,
    resolution: settings.resolution,
    aspectRatio: settings.aspectRatio,
    ...(row.audio === 'optional' && { withAudio: settings.withAudio }),
    ...referencesOf(model, wish, where),
    ...seedOf(model, wish, where),
  }
}

/** The settings that a row of combinations has. */
type Settings = Pick<VideoOrder, 'resolution' | 'seconds' | 'aspectRatio'> & { withAudio: boolean }
type Named = { [Setting in keyof Settings]?: Settings[Setting] | undefined }

const order = ['resolution', 'seconds', 'aspectRatio', 'withAudio'] as const

const hasAudio: Record<VideoCombination['audio'], readonly boolean[]> = {
  always: [true],
  never: [false],
  optional: [true, false],
}

/** All values that a row has of a setting. */
const valuesOf: { [Setting in keyof Settings]: (row: VideoCombination) => readonly Settings[Setting][] } = {
  resolution: (row) => [row.resolution],
  seconds: (row) => row.durations,
  aspectRatio: (row) => row.aspectRatios,
  withAudio: (row) => hasAudio[row.audio],
}

const takes = (row: VideoCombination, setting: keyof Settings, value: unknown): boolean =>
  value === undefined || (valuesOf[setting](row) as readonly unknown[]).includes(value)

const rowFor = (rows: readonly VideoCombination[], named: Named): VideoCombination | undefined =>
  rows.find((row) => order.every((setting) => takes(row, setting, named[setting])))

function settingsOf(model: VideoModel, named: Named, where: Where): Settings & { row: VideoCombination } {
  const { combinations, defaults } = model.video
  const wanted: Settings = { ...defaults, ...definedOf(named) }
  const usual = rowFor(combinations, wanted)
  if (usual) return { ...wanted, row: usual }
  const row = rowFor(combinations, named) ?? refuseNamed(model, named, where)
  /** The named value, else the default where the row has it, else the row's first. */
  const pick = <Setting extends keyof Settings>(setting: Setting): Settings[Setting] =>
    takes(row, setting, wanted[setting]) ? wanted[setting] : valuesOf[setting](row)[0]!
  return {
    resolution: pick('resolution'),
    seconds: pick('seconds'),
    aspectRatio: pick('aspectRatio'),
    withAudio: pick('withAudio'),
    row,
  }
}

const definedOf = (named: Named): Partial<Settings> =>
  Object.fromEntries(
    order.flatMap((setting) => (named[setting] === undefined ? [] : [[setting, named[setting]]])),
  )

/** Throws for the setting at fault: the first one, in the order of a row, that no row combines with those before it. */
function refuseNamed(model: VideoModel, named: Named, where: Where): never {
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
  { references = [], referenceMode }: VideoWish,
  where: Where,
): Pick<VideoOrder, 'references' | 'referenceMode'> {
  const bounds = model.video.references
  const supported = modes.filter((mode) => bounds[mode] !== undefined)
  if (referenceMode !== undefined && bounds[referenceMode] === undefined)
    refuse(model, 'referenceMode', referenceMode, supported, where)
  if (references.length === 0) return { references: [] }
  const mode = referenceMode ?? supported[0]
  if (mode === undefined) return refuse(model, 'references', String(references.length), [], where)
  const most = bounds[mode]!
  if (references.length > most)
    refuse(model, 'references', `${references.length} (${mode})`, [`1–${most}`], where)
  return { references, referenceMode: mode }
}

function seedOf(model: VideoModel, { seed }: VideoWish, where: Where): { seed?: number } {
  if (seed === undefined) return {}
  if (!model.video.takesSeed) refuse(model, 'seed', String(seed), [], where)
  return { seed }
}

const refuse = (
  model: VideoModel,
  setting: VideoSetting,
  value: string,
  supported: readonly string[],
  where: Where,
): never =>
  fail(
    'VIDEO_SETTING_NOT_SUPPORTED',
    { model: model.id, setting: where(setting), value, supported: [...supported] },
    { param: where(setting) },
  )

/** The settings by which an order of this model is priced. */
export function pricedOf(model: VideoModel, planned: VideoOrder): PricedVideo {
  const row = rowFor(model.video.combinations, planned)
  const withAudio = planned.withAudio ?? (row !== undefined && row.audio !== 'never')
  return { resolution: planned.resolution, seconds: planned.seconds, withAudio }
}

/** The same order for another model; undefined where that model cannot fill it. */
export function orderFor(other: VideoModel, model: VideoModel, planned: VideoOrder): VideoOrder | undefined {
  const { withAudio } = pricedOf(model, planned)
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
