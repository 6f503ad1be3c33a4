import type { ImageModelConfig, ImagePricingConfig, ImageSettingsConfig, PixelSize } from './config.ts'
import { commonEntries, readNamed } from './model-parts.ts'
import { refuse } from './refuse.ts'
import { type Sentence, words } from './words.ts'
import type { Place } from './yaml-reader.ts'

export const imageEntries = [...commonEntries, 'image']

const usd = { min: 0, max: 10_000 }
/** Of a picture's side, in pixels. */
const longestSide = 16_384

export function readImageModel(entry: Place): ImageModelConfig {
  const members = entry.members(imageEntries)
  const image = readSettings(
    members.need('image', {
      en: 'write what the upstream can be asked for, at least { sizes: [1024x1024] }',
      fa: 'بنویسید از بالادست چه می‌توان خواست، دست‌کم { sizes: [1024x1024] }',
    }),
  )
  const mend = {
    en: 'write { per_image } in USD, 0 for free',
    fa: '{ per_image } را به دلار بنویسید، ۰ یعنی رایگان',
  }
  return {
    ...readNamed(members),
    kind: 'image',
    image,
    pricing: readPricing(members.need('pricing', mend), image, mend),
  }
}

function readSettings(place: Place): ImageSettingsConfig {
  const members = place.members([
    'sizes',
    'qualities',
    'formats',
    'backgrounds',
    'max_count',
    'max_references',
    'response_format',
  ])
  const count = (name: string, range: { min: number; max: number }) =>
    members.get(name)?.number({ ...range, integer: true })
  const responseFormat = members.get('response_format')?.oneOf(['b64_json', 'url'] as const)
  return {
    sizes: readSizes(
      members.need('sizes', {
        en: 'write the sizes that the upstream draws, for example [1024x1024, 1536x1024]',
        fa: 'اندازه‌هایی را که بالادست می‌کشد بنویسید، برای نمونه [1024x1024, 1536x1024]',
      }),
    ),
    qualities: members.get('qualities')?.someOf(['low', 'medium', 'high'] as const) ?? [],
    formats: members.get('formats')?.someOf(['png', 'jpeg', 'webp'] as const) ?? [],
    backgrounds: members.get('backgrounds')?.someOf(['opaque', 'transparent'] as const) ?? [],
    maxCount: count('max_count', { min: 1, max: 10 }) ?? 1,
    maxReferences: count('max_references', { min: 0, max: 16 }) ?? 0,
    ...(responseFormat && { responseFormat }),
  }
}

function readSizes(place: Place): PixelSize[] {
  const sizes: PixelSize[] = []
  for (const item of place.list()) {
    const size = readSize(item)
    if (sizes.some((other) => isSame(other, size)))
      refuse(words.duplicate(item.where(), `${size.width}x${size.height}`))
    sizes.push(size)
  }
  return sizes.length > 0 ? sizes : place.wrong(sizeExpected)
}

const isSame = (a: PixelSize, b: PixelSize): boolean => a.width === b.width && a.height === b.height

const sizeExpected: Sentence = {
  en: `a size in pixels, <width>x<height>, each at most ${longestSide}`,
  fa: `اندازه‌ای به پیکسل به شکل <پهنا>x<بلندا> که هر کدام حداکثر ${longestSide} باشد`,
}

function readSize(place: Place): PixelSize {
  const [width = 0, height = 0] = place
    .text(sizeExpected, /^[1-9]\d{0,4}x[1-9]\d{0,4}$/)
    .split('x')
    .map(Number)
  return width <= longestSide && height <= longestSide ? { width, height } : place.wrong(sizeExpected)
}

/** Rows may only name what the model has: one that can never fit is a slip that would sell below cost. */
function readPricing(place: Place, image: ImageSettingsConfig, mend: Sentence): ImagePricingConfig {
  const members = place.members(['per_image', 'rows', 'per_reference'])
  return {
    perImage: members.need('per_image', mend).number(usd),
    rows:
      members
        .get('rows')
        ?.list()
        .map((row) => readRow(row, image, mend)) ?? [],
    perReference: members.get('per_reference')?.number(usd) ?? 0,
  }
}

function readRow(
  place: Place,
  image: ImageSettingsConfig,
  mend: Sentence,
): ImagePricingConfig['rows'][number] {
  const members = place.members(['quality', 'size', 'per_image'])
  const quality = members.get('quality')?.oneOf(image.qualities)
  const sizePlace = members.get('size')
  const size = sizePlace && readSize(sizePlace)
  if (size && !image.sizes.some((known) => isSame(known, size))) {
    const known = image.sizes.map(({ width, height }) => `${width}x${height}`)
    sizePlace.wrong({ en: `one of ${known.join(', ')}`, fa: `یکی از ${known.join('، ')}` })
  }
  return {
    ...(quality && { quality }),
    ...(size && { size }),
    perImage: members.need('per_image', mend).number(usd),
  }
}
