/** What the dialects of pictures can do, so that an entry which promises more is refused at the start and not after a hold. */
import type { ImageOption } from '#core/turn'
import type { Sentence } from '#platform/config'
import type { Dialect, ProviderConfig } from '../../provider-settings.ts'
import type { ImageEntry } from './settings.ts'

interface PictureWire {
  /** Absent: the wire has no field for a mask. */
  takesMasks?: true
  /** The settings of callers for which the wire has a field; absent: none. */
  options?: readonly ImageOption[]
}

/** A provider with several of these dialects draws by the first (src/connect.ts). */
const wires: Partial<Record<Dialect, PictureWire>> = {
  images: { takesMasks: true, options: ['moderation', 'style', 'input_fidelity'] },
  openrouter: {},
  gemini: {},
  // Its inpainting models take `mask_url`.
  fal: { takesMasks: true },
  modalities: {},
}

/** A provider needs one of these. */
export const imageDialects = Object.keys(wires) as Dialect[]

const wireOf = (dialects: readonly Dialect[]): PictureWire | undefined =>
  Object.entries(wires).find(([dialect]) => dialects.some((own) => own === dialect))?.[1]

/** Returns what the entry promises and the wire of these dialects cannot do, and how to fix it; undefined if there is nothing. */
export const unableImage = (
  { image }: Pick<ImageEntry, 'image'>,
  dialects: readonly Dialect[],
): Sentence | undefined => (image.takesMasks && !wireOf(dialects)?.takesMasks ? unableMasks : undefined)

const unableMasks: Sentence = {
  en: 'whose wire of pictures has no place for a mask: leave image.masks out',
  fa: 'که گویش تصویرش جایی برای mask ندارد: image.masks را بردارید',
}

/** The settings of callers that every provider of the entry takes. The sandbox takes none: it has no field that would change its pictures. */
export function imageOptionsOf(
  { deployments }: Pick<ImageEntry, 'deployments'>,
  providers: ReadonlyMap<string, ProviderConfig>,
): ImageOption[] {
  const [first = [], ...others] = deployments.map(({ provider }) =>
    provider === 'sandbox' ? [] : (wireOf(providers.get(provider)?.dialects ?? [])?.options ?? []),
  )
  return first.filter((option) => others.every((options) => options.includes(option)))
}
